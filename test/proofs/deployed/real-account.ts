import type { Target } from './target.ts';

/** A run that was refused before it created anything; the message says what to do. */
export class RunRefused extends Error {}

/** Who the credentials of this process belong to. */
export interface Caller {
  readonly account: string;
  readonly arn: string;
}

/** How the run is asked for. */
export const USAGE = 'npm run test:aws -- --account <id of the account to deploy to> --region <region>';

/** Says nothing but where: both were named on the command line, and nothing in the environment leads elsewhere. */
export interface RealAccount {
  readonly account: string;
  readonly region: string;
}

/**
 * Reads which account and region a run was asked for. Throws RunRefused without both: a run that creates resources must not go to
 * whatever account a shell happens to be signed in to, nor to an emulator in its place.
 */
export function readRealAccount(args: readonly string[], environment: Readonly<Record<string, string | undefined>>): RealAccount {
  const named = new Map<string, string>();
  for (let index = 0; index < args.length; index += 2) {
    const [name = '', value = ''] = args.slice(index, index + 2);
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
  return { account, region };
}

/** Throws RunRefused when the credentials are those of another account than the one that was named. */
export function checkCaller({ account }: RealAccount, caller: Caller): void {
  if (caller.account === account) return;
  throw new RunRefused(
    `the credentials are ${caller.arn} of account ${caller.account}, and --account says ${account}. Nothing was created.`,
  );
}

/** The target: alarms on, the account's own bootstrap, and time for a real control plane. */
export function realAccountTarget({ account, region }: RealAccount, webhookSecret: string): Target {
  return {
    name: 'aws',
    environment: { AWS_REGION: region, CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region },
    context: {},
    bootstrap: false,
    // A name that no resolver knows: deliveries fail, and nobody gets mail of a test.
    webhookUrl: 'https://receiver.invalid/webhooks',
    webhookSecret,
    patience: { cdkMs: 20 * 60_000, jobMs: 90_000, timerLateMs: 30_000, leftOverMs: 5 * 60_000 },
  };
}
