import type { WebhookReceiver } from '../../../examples/order-service/webhook-receiver.ts';

/** Where the walk deploys to. Everything else of it is the same for all targets. */
export interface Target {
  /** In the first column of what is printed, and the name of the figures. */
  readonly name: 'ministack' | 'aws';
  /** Endpoints, credentials, region: set for this process and for the CDK's. */
  readonly environment: Readonly<Record<string, string>>;
  /** Context of the example app. */
  readonly context: Readonly<Record<string, string>>;
  /** Whether the account has to be bootstrapped first. */
  readonly bootstrap: boolean;
  /** Where the deployed worker delivers webhooks. */
  readonly webhookUrl: string;
  readonly webhookSecret: string;
  /** What listens there; absent where the worker cannot reach this machine. */
  readonly receiver?: Pick<WebhookReceiver, 'delivered' | 'answers'>;
  readonly patience: Patience;
}

/** How long the walk waits for what must come about, in milliseconds. */
export interface Patience {
  /** One run of the CDK. */
  readonly cdkMs: number;
  /** A job that is due, from its enqueuing to its end. */
  readonly jobMs: number;
  /** How much later than due a timer may have run. */
  readonly timerLateMs: number;
  /** Until nothing is left of a stack that was destroyed. */
  readonly leftOverMs: number;
}
