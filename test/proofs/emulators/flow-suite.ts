import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemEnvironment } from '../../../shared/adapters/system.ts';

/** How a run of the flow suite ended. */
export interface FlowResult {
  readonly passed: number;
  readonly seconds: number;
}

/** A running suite. */
export interface FlowRun {
  /** Rejects with the names of the tests that failed. */
  readonly result: Promise<FlowResult>;
  stop(): void;
}

const ROOT = join(import.meta.dirname, '..', '..', '..');
/** Walks over hundreds of jobs, again and again: minutes each on LocalStack, and nothing that its conditions could answer otherwise. */
const TOO_LONG = 'test/flow/bulk-*.test.ts';
/** A tick's walk through 64 shards, sixty times over, takes a slow emulator most of a minute. */
const TEST_TIMEOUT_MS = 180_000;

/**
 * Starts the flows and races of this project on the DynamoDB at an endpoint, with Vitest's output in `flow.log` of the folder. `share`
 * (such as `1/3`) runs a part of their files.
 */
export function startFlowSuite(endpoint: string, folder: string, share: string): FlowRun {
  const [log, report] = [join(folder, 'flow.log'), join(folder, 'flow.json')];
  rmSync(report, { force: true });
  const output = openSync(log, 'w');
  const args = [
    'vitest',
    'run',
    '--project',
    'flows-on-dynamo',
    `--shard=${share}`,
    `--exclude=${TOO_LONG}`,
    `--testTimeout=${TEST_TIMEOUT_MS}`,
    '--reporter=default',
    '--reporter=json',
  ];
  const child = spawn(process.execPath, [join(ROOT, 'scripts', 'run.mjs'), ...args, `--outputFile.json=${report}`], {
    cwd: ROOT,
    stdio: ['ignore', output, output],
    env: { ...systemEnvironment(), AWS_ENDPOINT_URL_DYNAMODB: endpoint },
  });
  closeSync(output);
  const result = resultOf(child, log, report);
  // A later await gets the rejection; until then it must not end the process.
  result.catch(() => {});
  return { result, stop: () => void child.kill('SIGTERM') };
}

interface VitestReport {
  readonly startTime: number;
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly endTime: number;
    readonly message?: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

async function resultOf(child: ChildProcess, log: string, report: string): Promise<FlowResult> {
  const code = await new Promise((resolve) => child.once('error', resolve).once('exit', resolve));
  if (!existsSync(report)) throw new Error(`the flow suite ended without a report (${String(code)}). What it said: ${log}`);
  const { numPassedTests: passed, testResults, startTime } = JSON.parse(readFileSync(report, 'utf8')) as VitestReport;
  const failed = testResults.flatMap(({ assertionResults }) =>
    assertionResults.flatMap(({ status, fullName }) => (status === 'failed' ? [fullName] : [])),
  );
  const broken = testResults.flatMap(({ name, message, assertionResults }) =>
    message && assertionResults.length === 0 ? [`${name}: ${message}`] : [],
  );
  if (code !== 0 || passed === 0) {
    throw new Error(`${passed} tests of the flow suite passed, not so: ${[...failed, ...broken].join('; ')}. What it said: ${log}`);
  }
  return { passed, seconds: Math.round((Math.max(...testResults.map(({ endTime }) => endTime)) - startTime) / 1000) };
}
