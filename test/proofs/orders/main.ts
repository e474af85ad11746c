/** `npm run orders`: the orders in which requests of two actors can come, over the product's own code; exit code 1 when a rule was broken. */
import { join } from 'node:path';
import { baseLine } from '../../support/base-seed.ts';
import { runCommand, UsageError } from '../../../scripts/command-line.ts';
import { FIGURES_FOLDER, recordFailure, recordFigures } from '../../support/figures.ts';
import { notedRuns, savedLedger, thisVersion } from '../ledger.ts';
import { freshBase, placeOf, walkedPairs } from './coverage.ts';
import { pairsOf } from './covering.ts';
import { inProcesses } from './in-processes.ts';
import { type OrderOptions, readOptions, USAGE } from './options.ts';
import { Progress } from './progress.ts';
import { figuresOf, keepBroken, knownOrders, tell } from './report.ts';
import type { Done, Task } from './share.ts';
import { proofOf, STRENGTHS, type Strength } from './strength.ts';
import { addReport, noTotals, type Totals } from './totals.ts';
import { OrderGoneError, type PairReport, runText, walkPair } from './walk-pair.ts';
import { walkStrength } from './walk-strength.ts';

const SHARE = join(import.meta.dirname, 'share.ts');
const PROGRESS = join(FIGURES_FOLDER, 'orders-progress.jsonl');
const DEFAULT_SECONDS = 90;
/** Pairs after which it is told how far it is. */
const TELL_EVERY = 100;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

await runCommand(USAGE, async (args) => {
  const options = readOptions(args);
  const { order, pair, all } = options;
  if (pair !== undefined) return order === undefined ? onePair(pair, options) : oneOrder(pair, order, options);
  if (all) return everything(options);
  return options.strength === undefined ? share(options, args) : shareOfStrength(options.strength, options, args);
});

async function oneOrder(pair: NonNullable<OrderOptions['pair']>, order: string, { faults }: OrderOptions): Promise<number> {
  const { steps, answers, findings } = await runText({ ...pair, faults }, order, print).catch((error: unknown) => {
    if (error instanceof OrderGoneError) throw new UsageError(`The order cannot be played: it ${error.message}.`);
    throw error;
  });
  for (const step of steps) print(`  ${step}`);
  print(`answers: ${JSON.stringify(answers)}`);
  for (const finding of findings) print(`VIOLATION ${finding}`);
  return findings.length > 0 ? 1 : 0;
}

async function onePair({ verbs, situation }: NonNullable<OrderOptions['pair']>, { faults, most }: OrderOptions): Promise<number> {
  const totals = noTotals();
  addReport(totals, await walkPair(verbs, situation, faults.length === 0 ? { most } : { most, pick: () => [faults] }));
  tell(totals, print);
  return totals.broken.length > 0 ? 1 : 0;
}

/** Draws of a base until the time is up. */
async function share(
  { base, seconds = DEFAULT_SECONDS, draws, most, processes, json }: OrderOptions,
  args: readonly string[],
): Promise<number> {
  print(baseLine(base, 'orders', args));
  const totals = noTotals();
  totals.broken.push(...(await knownOrders(print)));
  const startedAt = Date.now();
  const until = draws === undefined ? startedAt + seconds * 1_000 : Number.MAX_SAFE_INTEGER;
  let draw = 0;
  await inProcesses<Task, Done>({
    script: SHARE,
    processes,
    next: () =>
      Date.now() < until && draw < (draws ?? Number.MAX_SAFE_INTEGER) ? { base: base.from, draw: draw++, until, most } : undefined,
    done: ({ reports }) => reports.forEach((report) => addReport(totals, report)),
  });
  print(`${draw} draws: npm run orders -- --from ${base.from} --draws ${draw} draws the same`);
  const figures = finish(totals, startedAt, json);
  if (totals.broken.length > 0) recordFailure('orders', base);
  else recordFigures('orders', figures, base);
  return totals.broken.length > 0 ? 1 : 0;
}

/** Pairs of a strength from a place that recorded runs have not walked, until the time is up. */
async function shareOfStrength(strength: Strength, options: OrderOptions, args: readonly string[]): Promise<number> {
  const { seconds = DEFAULT_SECONDS, draws, most, processes, json } = options;
  const pairs = pairsOf(strength);
  const base = {
    ...options.base,
    from: options.base.drawn ? freshBase(options.base.from, walkedBefore(strength, pairs.length), pairs.length) : options.base.from,
  };
  print(baseLine(base, 'orders', args));
  const place = placeOf(base.from, pairs.length);
  const startedAt = Date.now();
  const totals = noTotals();
  const inTurn = [...pairs.slice(place), ...pairs.slice(0, place)].slice(0, draws);
  const cut: string[] = [];
  await walkStrength({
    pairs: inTurn,
    most,
    processes,
    until: draws === undefined ? startedAt + seconds * 1_000 : Number.MAX_SAFE_INTEGER,
    done(report) {
      if (report.cut === true) cut.push(report.pair);
      else addReport(totals, report);
      if (report.cut === true) totals.broken.push(...report.broken);
    },
  });
  const reach = totals.pairs + cut.length;
  print(`strength ${strength}: ${totals.pairs} of ${pairs.length} pairs; --from ${base.from} --draws ${reach} walks the same`);
  for (const pair of cut) print(`cut when the time was up: ${pair}`);
  const figures = { of: pairs.length, reach, cut: cut.map((pair) => inTurn.indexOf(pair)).join(' '), ...finish(totals, startedAt, json) };
  if (totals.broken.length > 0) recordFailure(proofOf(strength), base);
  else recordFigures(proofOf(strength), figures, base);
  return totals.broken.length > 0 ? 1 : 0;
}

function walkedBefore(strength: Strength, of: number): ReadonlySet<number> {
  const { version, runs } = savedLedger();
  return walkedPairs([...(version === thisVersion() ? runs : []), ...notedRuns()], strength, of);
}

/** Every pair, one strength after another; continues where it was ended. */
async function everything({ restart, seconds, strength: last = 4, most, processes, json }: OrderOptions): Promise<number> {
  const progress = new Progress(PROGRESS);
  if (restart) progress.restart();
  const startedAt = Date.now();
  const until = seconds === undefined ? Number.MAX_SAFE_INTEGER : startedAt + seconds * 1_000;
  let broken = 0;
  for (const strength of STRENGTHS.filter((one) => one <= last)) {
    if (Date.now() >= until) break;
    const pairs = pairsOf(strength);
    const walked = new Map(progress.read());
    const left = pairs.filter((pair) => !walked.has(pair));
    print(`strength ${strength}: ${pairs.length} pairs, ${pairs.length - left.length} of them walked before`);
    const done = (report: PairReport): void => {
      if (report.cut === true && report.broken.length === 0) return;
      walked.set(report.pair, report);
      progress.add([report]);
      if (walked.size % TELL_EVERY === 0)
        print(`strength ${strength}: ${pairs.filter((pair) => walked.has(pair)).length} of ${pairs.length}`);
    };
    await walkStrength({ pairs: left, most, processes, until, done });
    broken += tellStrength(strength, pairs, { walked, json, startedAt });
  }
  return broken > 0 ? 1 : 0;
}

interface WalkedStrength {
  readonly walked: ReadonlyMap<string, PairReport>;
  readonly json: boolean;
  readonly startedAt: number;
}

/** Prints what was walked of a strength, also in earlier runs, and records the pairs from the first to the first that is missing. */
function tellStrength(strength: Strength, pairs: readonly string[], { walked, json, startedAt }: WalkedStrength): number {
  const reports = pairs.map((pair) => walked.get(pair));
  const missing = reports.indexOf(undefined);
  const [all, first] = [noTotals(), noTotals()];
  for (const [index, report] of reports.entries()) {
    if (report === undefined) continue;
    addReport(all, report);
    if (missing === -1 || index < missing) addReport(first, report);
  }
  print(`strength ${strength}: ${all.pairs} of ${pairs.length} pairs`);
  const { seconds } = finish(all, startedAt, json);
  if (all.broken.length === 0 && first.pairs > 0)
    recordFigures(
      proofOf(strength),
      { of: pairs.length, reach: first.pairs, cut: '', ...figuresOf(first, Number(seconds)) },
      { from: pairs.length, drawn: true },
    );
  return all.broken.length;
}

function finish(totals: Totals, startedAt: number, json: boolean): ReturnType<typeof figuresOf> {
  tell(totals, print);
  keepBroken(totals.broken, print);
  const figures = figuresOf(totals, Math.round((Date.now() - startedAt) / 1_000));
  if (json) print(JSON.stringify(figures));
  return figures;
}
