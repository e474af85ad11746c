import { systemClock } from '../../shared/config/system.ts';
import { recordFigures } from '../support/figures.ts';
import { readFuzzOptions, UsageError } from './fuzz-options.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { runTarget, type TargetReport } from './run-target.ts';
import { TARGETS } from './targets.ts';
import { startWatchdog, type Watchdog } from './watchdog.ts';

const USAGE = `Usage: npm run fuzz -- [--seconds 60] [--seed S] [--target name] [--json]

Feeds hostile input to everything that takes input from outside, for the given time in all. Exit code 1 when a promise was broken.
Targets: ${TARGETS.map(({ name }) => name).join(', ')}
`;
const EXIT_USAGE = 2;
const HANGS_AFTER_MS = 60_000;
/** Inputs that one seed stands for. The next ones come from the next seed, so that a failure is repeated within seconds. */
const RUNS_PER_SEED = 100;

interface Failed {
  readonly counterexample: string;
  readonly error: string;
  readonly command: string;
}

interface Ran {
  inputs: number;
  slowestMs: number;
  failure?: Failed;
}

const commandOf = (target: FuzzTarget, seed: number): string => `npm run fuzz -- --target ${target.name} --seed ${seed}`;

/** Runs one target, seed after seed, until its time is over or a promise is broken. */
async function fuzz(target: FuzzTarget, from: number, withinMs: number, watchdog: Watchdog): Promise<Ran> {
  const ran: Ran = { inputs: 0, slowestMs: 0 };
  const until = systemClock.now() + withinMs;
  for (let seed = from; systemClock.now() < until && ran.failure === undefined; seed++) {
    watchdog.watch(commandOf(target, seed));
    const report: TargetReport = await runTarget(target, { seed, runs: RUNS_PER_SEED }, watchdog.tick);
    ran.inputs += report.inputs;
    ran.slowestMs = Math.max(ran.slowestMs, Math.round(report.slowestMs));
    if (report.failure) ran.failure = { ...report.failure, command: commandOf(target, seed) };
  }
  await target.close?.();
  return ran;
}

async function main(args: readonly string[]): Promise<number> {
  const options = readFuzzOptions(
    args,
    TARGETS.map(({ name }) => name),
  );
  if (options.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const seed = options.seed ?? systemClock.now() % 2 ** 31;
  const targets = TARGETS.filter(({ name }) => options.target === undefined || name === options.target);
  const watchdog = startWatchdog(HANGS_AFTER_MS);
  const say = (text: string): void => void (options.json || process.stdout.write(`${text}\n`));
  const results = new Map<string, Ran>();
  say(`fuzz: ${targets.length} targets, ${options.seconds} s, seed ${seed}`);
  for (const target of targets) {
    const ran = await fuzz(target, seed, (options.seconds * 1_000) / targets.length, watchdog);
    results.set(target.name, ran);
    say(`${target.name.padEnd(18)}${String(ran.inputs).padStart(10)} inputs, slowest ${ran.slowestMs} ms${ran.failure ? '  FAILED' : ''}`);
    if (ran.failure)
      say(`  ${ran.failure.counterexample}\n  ${ran.failure.error.replaceAll('\n', '\n  ')}\n  repeat with: ${ran.failure.command}`);
  }
  await watchdog.stop();
  const inputs = [...results.values()].reduce((sum, one) => sum + one.inputs, 0);
  const failed = [...results.values()].filter((one) => one.failure !== undefined).length;
  if (failed === 0 && options.target === undefined)
    recordFigures('fuzz', { inputs, targets: targets.length, seconds: options.seconds, seed });
  if (options.json) process.stdout.write(`${JSON.stringify({ seed, inputs, failed, targets: Object.fromEntries(results) })}\n`);
  return failed === 0 ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`fuzz: ${error.message}\n\n${USAGE}`);
  process.exitCode = EXIT_USAGE;
}
