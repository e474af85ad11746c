import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { systemEnvironment } from '../../shared/adapters/system.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** How Vitest is run. */
export interface VitestTerms {
  readonly env?: NodeJS.ProcessEnv;
  /**
   * Runs the files that failed once more, one at a time, and counts that result: for tests of real processes and browsers, which a busy
   * machine can fail. The output says that it happened.
   */
  readonly failedAgain?: boolean;
}

interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

/** Runs Vitest to its end and returns how many tests passed; undefined when one failed or none ran. */
export function runVitest(args: readonly string[], { env = {}, failedAgain = false }: VitestTerms = {}): number | undefined {
  const first = runOnce(args, env);
  if (first.passed || !failedAgain) return passedTests(first);
  const failed = (first.report?.testResults ?? []).filter(({ status }) => status === 'failed');
  const files = failed.map(({ name }) => relative(ROOT, name));
  process.stdout.write(`FAILED ONCE: ${files.join(', ') || 'the run'}. Running once more, one file at a time.\n`);
  const second = runOnce([...args, '--no-file-parallelism', ...files], env);
  if (!second.passed || first.report === undefined || files.length === 0) return passedTests(second);
  const others = first.report.testResults.filter(({ status }) => status !== 'failed').flatMap(({ assertionResults }) => assertionResults);
  return others.filter(({ status }) => status === 'passed').length + (second.report?.numPassedTests ?? 0);
}

interface Ran {
  readonly passed: boolean;
  /** Absent when Vitest ended without one. */
  readonly report?: Report;
}

function passedTests({ passed, report }: Ran): number | undefined {
  return passed && report !== undefined && report.numPassedTests > 0 ? report.numPassedTests : undefined;
}

function runOnce(args: readonly string[], env: NodeJS.ProcessEnv): Ran {
  const folder = mkdtempSync(join(tmpdir(), 'nightcrew-vitest-'));
  const file = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  try {
    const { status } = spawnSync(process.execPath, [join(ROOT, 'scripts', 'run.mjs'), 'vitest', 'run', ...reporters, ...args], {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...systemEnvironment(), ...env },
    });
    const passed = status === 0;
    return existsSync(file) ? { passed, report: JSON.parse(readFileSync(file, 'utf8')) as Report } : { passed };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
