import type { WebhookReceiver } from '../../../examples/order-service/webhook-receiver.ts';

/** Where the walk deploys to. Everything else of it is the same for all targets. */
export interface Target {
  /** Printed in the first column, and the name of the figures. */
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
  /** The receiver that listens there; absent if the worker cannot reach this machine. */
  readonly receiver?: Pick<WebhookReceiver, 'delivered' | 'answers'>;
  readonly patience: Patience;
}

/** How long the walk waits for expected results, in milliseconds. */
export interface Patience {
  /** One run of the CDK. */
  readonly cdkMs: number;
  /** Until the roles of a new stack are allowed what their policies say; 0 where nobody checks them. */
  readonly permissionsMs: number;
  /** Longest time between two ticks. */
  readonly tickMs: number;
  /** A job that is due, from its enqueuing to its end. */
  readonly jobMs: number;
  /** How much later than due a timer may have run. */
  readonly timerLateMs: number;
  /** Until nothing is left of a stack that was destroyed. */
  readonly leftOverMs: number;
}
