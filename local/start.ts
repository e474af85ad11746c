import { join } from 'node:path';
import { inspect } from 'node:util';
import { problemText } from '../console/problem-text.ts';
import { type RunningConsole, startConsole } from '../console/start.ts';
import { defined } from '../shared/job/defined.ts';
import { type CapturedOutput, captureOutput } from './captured-output.ts';
import { createRunFolder } from './run-folder.ts';
import { isClean } from './shop/audit.ts';
import { playScenario } from './shop/fixed-scenario.ts';
import { startTraffic } from './shop/live-traffic.ts';
import { type Shop, startShop } from './shop/shop.ts';
import { writeEnvFile } from './env-file.ts';
import { readStartOptions, type StartOptions, USAGE, UsageError } from './start-options.ts';
import { stopOnSignals } from './stop-on-signals.ts';
import { reportCounts } from './report-counts.ts';
import { summaryJson, summaryTable } from './summary.ts';
import { plural } from '../shared/job/plural.ts';

const STOP_GRACE_MS = 10_000;
const EXIT_USAGE = 2;
const EXIT_INTERRUPTED = 130;

async function main(args: readonly string[]): Promise<number> {
  const options = readStartOptions(args, process.env['PORT']);
  if (options.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const folder = createRunFolder(Date.now());
  const output = captureOutput(join(folder, 'functions.log'));
  const signal = stopOnSignals(process, () => {
    output.screen('Ended.\n');
    process.exit(EXIT_INTERRUPTED);
  });
  try {
    const shop = await startShop({ folder, seed: options.seed, onProblem: (what, error) => output.log(`${what}: ${inspect(error)}`) });
    try {
      return options.once ? await runOnce(shop, options, { output, signal }) : await runLive(shop, options, { output, signal, folder });
    } finally {
      await shop.stop(STOP_GRACE_MS);
    }
  } finally {
    output.release();
  }
}

interface Terminal {
  readonly output: CapturedOutput;
  readonly signal: AbortSignal;
}

async function runOnce(shop: Shop, options: StartOptions, { output, signal }: Terminal): Promise<number> {
  const { orders = 1, rate } = options;
  const result = await playScenario(shop, { orders, rate, signal });
  const good = isClean(result.audit) && result.reportRefused && !signal.aborted;
  output.screen(options.json ? summaryJson(result, good) : summaryTable(result, good));
  for (const line of result.audit.astray) output.error(`${line}\n`);
  return good ? 0 : 1;
}

async function runLive(
  shop: Shop,
  options: StartOptions,
  { output, signal, folder }: Terminal & { readonly folder: string },
): Promise<number> {
  const { environment } = shop.region;
  output.screen(`DynamoDB ${environment['AWS_ENDPOINT_URL_DYNAMODB']}   SQS ${environment['AWS_ENDPOINT_URL_SQS']}\n`);
  output.screen(`Invoices, reports and logs: ${folder}\n`);
  output.screen(`Command line: npm run --silent nightcrew -- dead-letters groups --env-file ${writeEnvFile(folder, environment)}\n`);
  const console = options.console ? await openConsole(shop, output, options.port) : undefined;
  const enter = (): void => output.screen(`Console: ${console?.newLink()}\n`);
  if (console !== undefined) {
    output.screen(`Console (shows and changes the jobs of this region): ${console.url}\n`);
    output.screen('The link works once; Enter gives another.\n');
    if (process.stdin.isTTY) process.stdin.on('data', enter);
  }
  output.screen('\n');
  const traffic = startTraffic(shop, {
    rate: options.rate,
    seed: options.seed,
    signal,
    onProblem: (what, error) => output.log(`${what}: ${inspect(error)}`),
    ...defined({ orders: options.orders }),
  });
  await reportCounts({ shop, orders: () => traffic.orders, write: output.screen, signal });
  const running = shop.ledger.running.length;
  output.screen(
    `\nStopping: ${running} ${plural(running, 'job runs', 'jobs run')}, waiting at most ${STOP_GRACE_MS / 1000} s. Ctrl-C again ends at once.\n`,
  );
  process.stdin.off('data', enter).pause();
  await console?.close();
  await traffic.done;
  const abandoned = await shop.stop(STOP_GRACE_MS);
  for (const run of shop.ledger.running) output.screen(`Still running: ${run.type} ${run.id}, attempt ${run.attempt}\n`);
  const count = (event: 'completed' | 'dead-lettered'): number => shop.ledger.counts.get(event) ?? 0;
  const [completed, dead, cancelled] = [count('completed'), count('dead-lettered'), shop.ledger.cancellations];
  const jobs = shop.ledger.expected.size;
  output.screen(
    `Stopped. ${traffic.orders} ${plural(traffic.orders, 'order')}, ${jobs} ${plural(jobs, 'job')}: ${completed} completed, ${cancelled} cancelled, ${dead} ${plural(dead, 'dead letter')}, ${jobs - completed - cancelled - dead} not ended yet. ${abandoned} ${plural(abandoned, 'message')} still with an executor.\n`,
  );
  return 0;
}

/** With everything allowed: the region is this machine's, and ends with it. */
async function openConsole({ region }: Shop, output: CapturedOutput, port: number | undefined): Promise<RunningConsole> {
  return startConsole({
    environment: region.environment,
    ...defined({ port }),
    write: true,
    place: { name: 'local', production: false },
    onProblem: (what, error) => output.log(problemText(what, error).trimEnd()),
  });
}

try {
  // Not only the exit code: a handler that never ends must not keep the process.
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(
    error instanceof UsageError
      ? `${error.message}\n\n${USAGE}`
      : `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exit(error instanceof UsageError ? EXIT_USAGE : 1);
}
