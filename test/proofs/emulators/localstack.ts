/**
 * `npm run test:localstack`: on LocalStack, the flow suite, and the example's tables, queues and rules as its CloudFormation deploys
 * them, with the functions in processes of this machine. Installs LocalStack into `.emulators` the first time where there is no
 * Docker; fails where that cannot be done.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient, paginateListTables } from '@aws-sdk/client-dynamodb';
import { startWebhookReceiver, type WebhookReceiver } from '../../../examples/order-service/webhook-receiver.ts';
import { useEmulatorCredentials } from '../../../local/emulators/emulator-credentials.ts';
import { stopOnSignals } from '../../../local/stop-on-signals.ts';
import { systemClock } from '../../../shared/adapters/system.ts';
import { createReport, must, type Report, type RunTerms } from '../deployed/report.ts';
import { baseLine, FROM, FROM_USAGE, partOf, readBase } from '../../support/base-seed.ts';
import { readArguments, runCommand, TEXT, UsageError, wholeNumber } from '../../../scripts/command-line.ts';
import { recordFigures } from '../../support/figures.ts';
import type { DeployedFunctions } from './deployed-functions.ts';
import { startExample, synthesizeExample } from './example-on-localstack.ts';
import { type FlowResult, type FlowRun, startFlowSuite } from './flow-suite.ts';
import { createLocalStackOperator } from './localstack-operator.ts';
import { type LocalStackWalked, walkOnLocalStack } from './localstack-walk.ts';
import type { RunningLocalStack } from './running-localstack.ts';
import { startLocalStack } from './start-localstack.ts';

const FOLDER = join(import.meta.dirname, '..', '..', '..', '.emulators', 'localstack');
const SECRET = 'a secret of this run';
/** With this seed the receiver answers 503 and 500 to one of the walk's orders and 429 to the other, before it takes them. */
const SEED = 3;
/** Under the load of the flow suite; a timer's tick may be a minute late by itself. */
const PATIENCE = { cdkMs: 0, permissionsMs: 0, tickMs: 60_000, jobMs: 60_000, timerLateMs: 60_000, leftOverMs: 0 };

const clock = systemClock;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

const USAGE = `Usage: npm run test:localstack -- [options]

Runs the flow suite on LocalStack, and deploys the example's tables, queues and rules there, with the functions in processes.

  --parts N      one of N parts of the flow suite's files: the one that the base names (default 1)
  ${FROM_USAGE}
  --help         prints this
`;

async function main(args: readonly string[]): Promise<boolean> {
  const started = clock.now();
  const { parts = '1', from } = readArguments(args, { parts: TEXT, ...FROM });
  const base = readBase(from);
  const share = partOf(base, wholeNumber('parts', parts));
  print(`${baseLine(base, 'test:localstack', args)}\npart ${share} of the flow suite`);
  const stopping = stopOnSignals(process, () => process.exit(1));
  useEmulatorCredentials();
  mkdirSync(FOLDER, { recursive: true });
  const localStack = await startLocalStack(clock);
  print(`localstack: LocalStack ${localStack.version} ${localStack.how}, Node ${process.version}, ${localStack.endpoint}`);
  const startSeconds = secondsSince(started);
  process.env['AWS_ENDPOINT_URL'] = localStack.endpoint;
  const flows = startFlowSuite(localStack.endpoint, FOLDER, share);
  stopping.addEventListener('abort', () => flows.stop());
  const report = createReport({ clock }, print);
  try {
    const walked = await walkExample(localStack, { report, clock, stopping });
    const ran = await report.step('the flow suite passes on its DynamoDB', () => flowsOn(flows));
    print(`localstack: ${report.passed} passed, ${report.failed} failed${stopping.aborted ? ', stopped before its end' : ''}`);
    if (report.failed > 0 || stopping.aborted || walked === undefined || ran === undefined) {
      print(`localstack: what it said last:\n${localStack.lastWords()}`);
      return false;
    }
    const { version, how } = localStack;
    const figures = {
      version,
      how,
      startSeconds,
      steps: report.passed,
      ...walked,
      flowShare: share,
      flowTests: ran.passed,
      flowSeconds: ran.seconds,
    };
    recordFigures('localstack', { ...figures, seconds: secondsSince(started) }, base);
    return true;
  } finally {
    flows.stop();
    await localStack.stop();
  }
}

type Terms = RunTerms & { readonly report: Report };

async function walkExample({ endpoint }: RunningLocalStack, terms: Terms): Promise<LocalStackWalked | undefined> {
  const { report } = terms;
  const receiver = await startWebhookReceiver({ secret: SECRET, seed: SEED });
  const problems: string[] = [];
  let functions: DeployedFunctions | undefined;
  try {
    const synthesized = await report.step('cdk synth', () => synthesizeExample(FOLDER));
    if (synthesized === undefined) return undefined;
    report.note(
      `not deployed: ${Object.entries(synthesized.part.leftOut)
        .map(([type, count]) => `${count} ${type}`)
        .join(', ')}`,
    );
    functions = await report.step('its tables, queues and rules are deployed, its functions started', () =>
      startExample(synthesized, { endpoint, folder: FOLDER, parameters: parametersOf(receiver), onProblem: noted(problems) }, clock),
    );
    if (functions === undefined) return undefined;
    const operator = createLocalStackOperator(functions);
    const walked = await walkOnLocalStack({ target: { receiver, patience: PATIENCE }, operator, report, terms }, functions);
    await report.step('no poll, invocation or tick has failed', async () => must('problems', problems, []));
    return walked;
  } finally {
    await functions?.stop();
    await receiver.stop();
  }
}

function parametersOf({ url }: WebhookReceiver): Readonly<Record<string, string>> {
  return { WebhookUrl: url, WebhookSecret: SECRET };
}

function noted(problems: string[]): (what: string, error: unknown) => void {
  return (what, error) => void problems.push(`${what}: ${String(error)}`);
}

/** Its tables are still there: that they are shows that it ran here and nowhere else. */
async function flowsOn({ result }: FlowRun): Promise<FlowResult> {
  const ran = await result;
  let tables = 0;
  for await (const { TableNames = [] } of paginateListTables({ client: new DynamoDBClient({}) }, {})) tables += TableNames.length;
  if (tables < ran.passed) throw new Error(`${ran.passed} tests left ${tables} tables: they ran elsewhere`);
  return ran;
}

function secondsSince(started: number): number {
  return Math.round((clock.now() - started) / 1000);
}

await runCommand(USAGE, async (args) => {
  try {
    return (await main(args)) ? 0 : 1;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    print(`localstack: cannot start: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
});
