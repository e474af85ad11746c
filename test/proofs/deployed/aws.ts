/**
 * `npm run test:aws -- --account <id> --region <region>`: the walk of `test:ministack` in a real account. Asked for on purpose only, in
 * a stack of its own, which it destroys when the deployment or the walk fails and when it is stopped, too.
 */
import { createInterface } from 'node:readline/promises';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { stopOnSignals } from '../../../local/stop-on-signals.ts';
import { systemClock, systemEntropy } from '../../../shared/adapters/system.ts';
import { runCommand } from '../../../scripts/command-line.ts';
import { recordFigures } from '../../support/figures.ts';
import { deployAndWalk, freshStackName } from './deploy-and-walk.ts';
import { notDestroyed } from './left-over.ts';
import { checkCaller, readRealAccount, realAccountTarget, RunRefused, USAGE } from './real-account.ts';
import { createReport } from './report.ts';
import { runCost } from './run-cost.ts';

/** A run with every wait at its end, rounded. */
const RUN_MINUTES = 90;

const clock = systemClock;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(args: readonly string[]): Promise<boolean> {
  const place = readRealAccount(args, process.env);
  const target = realAccountTarget(place, systemEntropy.token());
  Object.assign(process.env, target.environment);
  checkCaller(place, await whoAmI());
  const stack = freshStackName();
  announce(stack, place.region);
  await tellExpiry();
  if (!place.yes && !(await confirmed(stack))) throw new RunRefused('it was not confirmed. Nothing was created.');
  print(`aws: if this process is killed, the stack stays. ${byHand(stack)}`);
  const stopping = stopOnSignals(process, () => {
    print(`aws: left as it is. ${byHand(stack)}`);
    process.exit(1);
  });
  stopping.addEventListener('abort', () =>
    print('aws: stopping: what runs is ended, then the stack is destroyed; once more leaves it there'),
  );
  const started = clock.now();
  const report = createReport({ clock }, print);
  const { resources, deploySeconds, walked } = await deployAndWalk(target, stack, { report, clock, stopping });
  await tellLeftOver(stack);
  const passed = report.failed === 0 && !stopping.aborted && walked !== undefined;
  print(`aws: ${report.passed} passed, ${report.failed} failed${stopping.aborted ? ', stopped before its end' : ''}`);
  const seconds = Math.round((clock.now() - started) / 1000);
  if (passed) recordFigures('aws', { region: place.region, steps: report.passed, resources, deploySeconds, ...walked, seconds });
  return passed;
}

async function whoAmI() {
  try {
    const { Account = '', Arn = '' } = await new STSClient({}).send(new GetCallerIdentityCommand({}));
    return { account: Account, arn: Arn };
  } catch (error) {
    throw new RunRefused(`AWS does not say who the credentials belong to: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function announce(stack: string, region: string): void {
  print(`aws: deploys the example as stack ${stack} to ${region}: some 60 resources (tables, queues, functions with logs and roles,`);
  print('aws: schedules, alarms, a dashboard), runs about 15 jobs, destroys all of it. About 20 minutes. It costs:');
  for (const line of runCost()) print(`aws:   ${line}`);
  print(
    'aws: needs an account that is bootstrapped (npm run cdk -- bootstrap), whose bucket keeps the code (a few MB) as after every deploy.',
  );
  print('aws: DynamoDB keeps a free backup of each table that had point-in-time recovery for 35 days; nobody can delete it.');
}

/** Credentials of a session that ends during the run leave the stack there. */
async function tellExpiry(): Promise<void> {
  const { expiration } = await new STSClient({}).config.credentials();
  const minutes = expiration === undefined ? Infinity : Math.floor((expiration.getTime() - clock.now()) / 60_000);
  if (minutes < RUN_MINUTES) {
    print(
      `aws: the credentials expire in ${minutes} minutes. Unless they are renewed by themselves, the stack may have to be destroyed by hand.`,
    );
  }
}

/** Asks on the terminal; refuses where nobody can answer. */
async function confirmed(stack: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new RunRefused('nobody can confirm it here. Add --yes to start without asking. Nothing was created.');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (await terminal.question(`aws: deploy ${stack}? Type yes: `)).trim() === 'yes';
  } finally {
    terminal.close();
  }
}

const byHand = (stack: string): string => `Destroy it by hand: npm run cdk -- destroy ${stack} -c stack=${stack} -c destroy=true --force`;

/** Also if AWS cannot be asked any more because credentials have expired: then the user must check. */
async function tellLeftOver(stack: string): Promise<void> {
  const left = await notDestroyed(stack, undefined).catch((error: unknown) => [`unknown: ${String(error)}`]);
  if (left.length === 0) return;
  print(`aws: still there:\n${left.join('\n')}\n${byHand(stack)}`);
}

await runCommand(`Usage: ${USAGE}\n`, async (args) => {
  try {
    return (await main(args)) ? 0 : 1;
  } catch (error) {
    print(`aws: ${error instanceof RunRefused ? 'refused: ' : ''}${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
});
