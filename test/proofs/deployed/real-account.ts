import { SETTINGS } from '../../../shared/config/settings.ts';
import { visibilityTimeoutMs } from '../../../shared/job/lease.ts';
import type { Patience, Target } from './target.ts';

const MINUTE_MS = 60_000;
/** `executorTimeout` of the example; ticks have the default of a minute, too. */
const FUNCTION_MS = MINUTE_MS;
/** "All schedule types invoke their targets with 60 second precision": scheduler/latest/UserGuide/schedule-types.html. */
const SCHEDULER_PRECISION_MS = MINUTE_MS;
/** "May not achieve consistency until at least 1 minute after the producers stop sending": AWSSimpleQueueService API_GetQueueAttributes. */
const QUEUE_COUNT_MS = MINUTE_MS;
/** "The deletion process takes up to 60 seconds": AWSSimpleQueueService API_DeleteQueue. */
const QUEUE_DELETION_MS = MINUTE_MS;

/** How long AWS may take. Where it states no bound, the wait is generous: a wait that ends early costs nothing. */
export const AWS_PATIENCE: Patience = {
  // CloudFormation states no bound. Creating seven tables with their backups takes some minutes.
  cdkMs: 30 * MINUTE_MS,
  // IAM states none either: IAM/latest/UserGuide/troubleshoot.html#troubleshoot_general_eventual-consistency.
  permissionsMs: 5 * MINUTE_MS,
  tickMs: SETTINGS.acquirerIntervalMs.default + SCHEDULER_PRECISION_MS,
  // A message whose first delivery failed comes back after the queue's visibility timeout, and its count settles later.
  jobMs: visibilityTimeoutMs('standard', FUNCTION_MS, SETTINGS.leaseMarginMs.default) + FUNCTION_MS + QUEUE_COUNT_MS,
  // Ticks come ahead of the timer, so this is what SQS and Lambda take to deliver a message when its delay ends.
  timerLateMs: MINUTE_MS,
  leftOverMs: QUEUE_DELETION_MS + 4 * MINUTE_MS,
};

/** A run was refused before it created anything; the message says how to fix it. */
export class RunRefused extends Error {}

/** The identity of this process's credentials. */
export interface Caller {
  readonly account: string;
  readonly arn: string;
}

/** How the run is asked for. */
export const USAGE = 'npm run test:aws -- --account <id of the account to deploy to> --region <region> [--yes]';

/** Says where, and whether it was confirmed: all were named on the command line, and nothing in the environment leads elsewhere. */
export interface RealAccount {
  /** Whether to start without asking. */
  readonly yes: boolean;
  readonly account: string;
  readonly region: string;
}

/**
 * Reads which account and region a run was asked for. Throws RunRefused without both: a run that creates resources must not go to
 * the account that a shell happens to be signed in to, nor to an emulator.
 */
export function readRealAccount(args: readonly string[], environment: Readonly<Record<string, string | undefined>>): RealAccount {
  const yes = args.includes('--yes');
  const pairs = args.filter((arg) => arg !== '--yes');
  const named = new Map<string, string>();
  for (let index = 0; index < pairs.length; index += 2) {
    const [name = '', value = ''] = pairs.slice(index, index + 2);
    if (name !== '--account' && name !== '--region') throw new RunRefused(`${name} is not an option. Usage: ${USAGE}`);
    named.set(name, value);
  }
  const account = named.get('--account') ?? '';
  if (!/^\d{12}$/.test(account)) throw new RunRefused(`--account has to be the twelve digits of an account. Usage: ${USAGE}`);
  const region = named.get('--region') ?? '';
  if (!/^[a-z]{2}(-[a-z]+)+-\d$/.test(region)) throw new RunRefused(`--region has to name a region, such as eu-central-1. Usage: ${USAGE}`);
  const endpoint = Object.keys(environment).find((name) => name.startsWith('AWS_ENDPOINT_URL') && environment[name] !== '');
  if (endpoint !== undefined)
    throw new RunRefused(`${endpoint} is set: this would not be a real account. Unset it, or run test:ministack.`);
  return { account, region, yes };
}

/** Throws RunRefused when the credentials are those of another account than the one that was named. */
export function checkCaller({ account }: Pick<RealAccount, 'account'>, caller: Caller): void {
  if (caller.account === account) return;
  throw new RunRefused(
    `the credentials are ${caller.arn} of account ${caller.account}, and --account says ${account}. Nothing was created.`,
  );
}

/** The target: alarms on, the account's own bootstrap, and time for a real control plane. */
export function realAccountTarget({ account, region }: Pick<RealAccount, 'account' | 'region'>, webhookSecret: string): Target {
  return {
    name: 'aws',
    environment: { AWS_REGION: region, CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region },
    context: {},
    bootstrap: false,
    // A name that does not resolve: deliveries fail, and no mail of a test is sent.
    webhookUrl: 'https://receiver.invalid/webhooks',
    webhookSecret,
    patience: AWS_PATIENCE,
  };
}
