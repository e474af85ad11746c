/**
 * `npm run test:ministack`: deploys the example with the CDK on MiniStack, which runs the functions without Docker, and walks through
 * the life of its jobs from outside; then a stack that adopts copies of its tables. Installs MiniStack into `.emulators` the first time;
 * fails where that cannot be done.
 */
import { devNull } from 'node:os';
import { startWebhookReceiver, type WebhookReceiver } from '../../../examples/order-service/webhook-receiver.ts';
import { createRunFolder } from '../../../local/run-folder.ts';
import { stopOnSignals } from '../../../local/stop-on-signals.ts';
import { systemClock } from '../../../shared/adapters/system.ts';
import { readArguments, runCommand } from '../../../scripts/command-line.ts';
import { recordFigures } from '../../support/figures.ts';
import { adoptTables } from './adopt-tables.ts';
import { deployAndWalk, failWithAlarms, FOLDER, freshStackName } from './deploy-and-walk.ts';
import { lastLines, type Ministack, startMinistack } from './ministack-process.ts';
import { createReport, type RunTerms } from './report.ts';
import type { Target } from './target.ts';

const SECRET = 'a secret of this run';
/** With this seed the receiver answers 503 and 500 to one of the walk's orders and 429 to the other, before it takes them. */
const SEED = 3;

const USAGE = `Usage: npm run test:ministack

Deploys the example with the CDK on MiniStack, which runs the functions without Docker, and walks through the life of its jobs. Then deploys a stack
anew with copies in place of its tables.

  --help         prints this
`;

const clock = systemClock;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<boolean> {
  // The emulator and its functions must not see the AWS account of this shell.
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name];
  const stopping = stopOnSignals(process, () => process.exit(1));
  const ministack = await startMinistack(clock);
  const receiver = await startWebhookReceiver({ secret: SECRET, seed: SEED });
  try {
    return await walkThrough(ministack, receiver, { clock, stopping });
  } finally {
    await receiver.stop();
    await ministack.stop();
  }
}

async function walkThrough(ministack: Ministack, receiver: WebhookReceiver, terms: RunTerms): Promise<boolean> {
  const started = clock.now();
  const { version, python, endpoint, log } = ministack;
  print(`ministack: MiniStack ${version}, Python ${python}, Node ${process.version}, ${endpoint}`);
  print('ministack: deployed with -c alarms=false: its CloudFormation refuses alarms on metric math, which two of ours are');
  const target = ministackTarget(endpoint, receiver);
  Object.assign(process.env, target.environment);
  const report = createReport(terms, print);
  const { resources, deploySeconds, walked } = await deployAndWalk(target, freshStackName(), { report, ...terms });
  let adoptedRows = 0;
  if (walked !== undefined && !terms.stopping.aborted) {
    adoptedRows = await adoptTables(
      { target, stack: freshStackName(), folder: createRunFolder(clock.now(), FOLDER) },
      { report, ...terms },
    );
    await report.step('alarms on metric math are refused, and nothing is left of that deployment', () => failWithAlarms(target, terms));
  }
  const stopped = terms.stopping.aborted;
  print(`ministack: ${report.passed} passed, ${report.failed} failed${stopped ? ', stopped before its end' : ''}`);
  if (report.failed > 0 || stopped || walked === undefined) {
    print(`ministack: what it said last:\n${lastLines(log)}\nAll of it: ${log}`);
    return false;
  }
  const seconds = Math.round((clock.now() - started) / 1000);
  recordFigures('ministack', { version, steps: report.passed, resources, deploySeconds, ...walked, adoptedRows, seconds });
  return true;
}

function ministackTarget(endpoint: string, receiver: WebhookReceiver): Target {
  return {
    name: 'ministack',
    environment: {
      AWS_ENDPOINT_URL: endpoint,
      // An address instead of a name, so that buckets are no host names.
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_REGION: 'us-east-1',
      AWS_CONFIG_FILE: devNull,
      AWS_SHARED_CREDENTIALS_FILE: devNull,
      CDK_DEFAULT_ACCOUNT: '000000000000',
      CDK_DEFAULT_REGION: 'us-east-1',
    },
    context: { alarms: 'false' },
    bootstrap: true,
    webhookUrl: receiver.url,
    webhookSecret: SECRET,
    receiver,
    patience: {
      cdkMs: 180_000,
      permissionsMs: 0,
      tickMs: 60_000,
      jobMs: 30_000,
      timerLateMs: 20_000,
      leftOverMs: 10_000,
    },
  };
}

await runCommand(USAGE, async (args) => {
  readArguments(args, {});
  try {
    return (await main()) ? 0 : 1;
  } catch (error) {
    print(`ministack: cannot start: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
});
