import { systemClock } from '../../../shared/adapters/system.ts';
import { defined } from '../../../shared/job/defined.ts';
import { baseLine, FROM_USAGE } from '../../support/base-seed.ts';
import { runCommand } from '../../../scripts/command-line.ts';
import { recordFailure, recordFigures } from '../../support/figures.ts';
import { type KnownFailure, knownFailures, reportOpen, shownBriefly } from '../../support/known-failures.ts';
import { readFuzzOptions } from './fuzz-options.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { runTarget, type TargetReport } from './run-target.ts';
import { TARGETS } from './targets.ts';
import { startWatchdog, type Watchdog } from './watchdog.ts';

const USAGE = `Usage: npm run fuzz -- [options]

Feeds hostile input to everything that takes input from outside. Exit code 1 when a promise was broken.

  --seconds N    for all targets together (default 60)
  --hundreds N   so many hundreds of inputs of each target instead: with --from, every run tries the same
  ${FROM_USAGE}
  --target NAME  only this one: ${TARGETS.map(({ name }) => name).join(', ')}
  --json         ends with one line of figures, and prints no other
  --help         prints this
`;
const HANGS_AFTER_MS = 60_000;
/** Inputs per seed. The next ones come from the next seed, so that a failure is repeated within seconds. */
const RUNS_PER_SEED = 100;

/** A seed whose inputs once broke a promise of a target. */
interface KnownSeed extends KnownFailure {
  readonly target: string;
  readonly seed: number;
}

const known = knownFailures<KnownSeed>(import.meta.dirname);

interface Failed {
  readonly counterexample: string;
  readonly error: string;
  readonly seed: number;
  readonly command: string;
}

interface Ran {
  inputs: number;
  slowestMs: number;
  failure?: Failed;
}

const commandOf = (target: FuzzTarget, seed: number): string => `npm run fuzz -- --target ${target.name} --from ${seed}`;

/** How much of a target is run after the seeds that failed once: until an instant, or so many seeds. */
interface Extent {
  readonly from: number;
  readonly until: number;
  readonly seeds?: number;
}

/** Runs one target, the seeds that failed once and then one after the other, until its share is done or a promise is broken. */
async function fuzz(target: FuzzTarget, { from, until, seeds }: Extent, watchdog: Watchdog, say: (text: string) => void): Promise<Ran> {
  const ran: Ran = { inputs: 0, slowestMs: 0 };
  const repeated = known.closed.filter((one) => one.target === target.name);
  const goesOn = (fresh: number): boolean => (seeds === undefined ? systemClock.now() < until : fresh < seeds);
  for (let next = 0; (next < repeated.length || goesOn(next - repeated.length)) && ran.failure === undefined; next++) {
    const seed = repeated[next]?.seed ?? from + next - repeated.length;
    watchdog.watch(commandOf(target, seed));
    const report: TargetReport = await runTarget(target, { seed, runs: RUNS_PER_SEED }, watchdog.tick);
    ran.inputs += report.inputs;
    ran.slowestMs = Math.max(ran.slowestMs, Math.round(report.slowestMs));
    if (report.failure) ran.failure = { ...report.failure, seed, command: commandOf(target, seed) };
  }
  const open = known.open.filter((one) => one.target === target.name);
  await reportOpen(
    open,
    async ({ seed }) => (await runTarget(target, { seed, runs: RUNS_PER_SEED }, watchdog.tick)).failure !== undefined,
    say,
  );
  await target.close?.();
  return ran;
}

async function main(args: readonly string[]): Promise<number> {
  const options = readFuzzOptions(
    args,
    TARGETS.map(({ name }) => name),
  );
  const { from } = options.base;
  const targets = TARGETS.filter(({ name }) => options.target === undefined || name === options.target);
  const watchdog = startWatchdog(HANGS_AFTER_MS);
  const say = (text: string): void => void (options.json || process.stdout.write(`${text}\n`));
  const results = new Map<string, Ran>();
  say(baseLine(options.base, 'fuzz', args));
  say(
    `fuzz: ${targets.length} targets, ${options.hundreds === undefined ? `${options.seconds} s` : `${options.hundreds} hundred inputs of each`}`,
  );
  for (const target of targets) {
    const until = systemClock.now() + (options.seconds * 1_000) / targets.length;
    const ran = await fuzz(target, { from, until, ...defined({ seeds: options.hundreds }) }, watchdog, say);
    results.set(target.name, ran);
    say(`${target.name.padEnd(18)}${String(ran.inputs).padStart(10)} inputs, slowest ${ran.slowestMs} ms${ran.failure ? '  FAILED' : ''}`);
    if (ran.failure === undefined) continue;
    say(`  ${ran.failure.counterexample}\n  ${ran.failure.error.replaceAll('\n', '\n  ')}\n  repeat with: ${ran.failure.command}`);
    const { seed, error } = ran.failure;
    known.keep([{ target: target.name, seed, showed: shownBriefly(error) }], say);
  }
  await watchdog.stop();
  const inputs = [...results.values()].reduce((sum, one) => sum + one.inputs, 0);
  const failed = [...results.values()].filter((one) => one.failure !== undefined).length;
  if (failed === 0 && options.target === undefined)
    recordFigures('fuzz', { inputs, targets: targets.length, seconds: options.seconds }, options.base);
  else if (failed > 0) recordFailure('fuzz', options.base);
  if (options.json) process.stdout.write(`${JSON.stringify({ base: from, inputs, failed, targets: Object.fromEntries(results) })}\n`);
  return failed === 0 ? 0 : 1;
}

await runCommand(USAGE, main);
