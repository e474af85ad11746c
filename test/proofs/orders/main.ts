/** `npm run orders`: the orders in which requests of two actors can come, over the product's own code; exit code 1 when a rule was broken. */
import { join } from 'node:path';
import { baseLine } from '../../support/base-seed.ts';
import { runCommand } from '../../support/command-line.ts';
import { FIGURES_FOLDER, recordFailure, recordFigures } from '../../support/figures.ts';
import { inProcesses } from './in-processes.ts';
import { pairs } from './meetings.ts';
import { type OrderOptions, readOptions, USAGE } from './options.ts';
import { Progress } from './progress.ts';
import { figuresOf, keepBroken, knownOrders, tell } from './report.ts';
import type { Done, Task } from './share.ts';
import { addReport, noTotals, type Totals } from './totals.ts';
import { runText, walkPair } from './walk-pair.ts';

const SHARE = join(import.meta.dirname, 'share.ts');
const PROGRESS = join(FIGURES_FOLDER, 'orders-progress.jsonl');
/** Pairs that a process walks at a time, and blocks of those after which it is told how far it is. */
const BLOCK = 16;
const TELL_EVERY = 100;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

await runCommand(USAGE, async (args) => {
  const options = readOptions(args);
  const { order, pair, all } = options;
  if (pair !== undefined) return order === undefined ? onePair(pair, options) : oneOrder(pair, order, options);
  return all ? everything(options) : share(options, args);
});

async function oneOrder(pair: NonNullable<OrderOptions['pair']>, order: string, { faults }: OrderOptions): Promise<number> {
  const { steps, answers, findings } = await runText({ ...pair, faults }, order, print);
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
async function share({ base, seconds, draws, most, processes, json }: OrderOptions, args: readonly string[]): Promise<number> {
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

async function everything({ restart, most, processes, json }: OrderOptions): Promise<number> {
  const count = [...pairs()].length;
  const progress = new Progress(PROGRESS, count);
  if (restart) progress.restart();
  const walked = progress.read();
  const totals = noTotals();
  for (const reports of walked.values()) reports.forEach((report) => addReport(totals, report));
  print(`${count} pairs, ${totals.pairs} of them walked before`);
  const startedAt = Date.now();
  const blocks = Array.from({ length: Math.ceil(count / BLOCK) }, (_, block) => block * BLOCK).filter((from) => !walked.has(from));
  let block = 0;
  await inProcesses<Task, Done>({
    script: SHARE,
    processes,
    next() {
      const from = blocks[block++];
      return from === undefined ? undefined : { from, through: from + BLOCK, most };
    },
    done({ task, reports }) {
      reports.forEach((report) => addReport(totals, report));
      if (!('from' in task)) return;
      progress.add(task.from, reports);
      if ((task.from / BLOCK) % TELL_EVERY === 0)
        print(`${totals.pairs} of ${count} pairs, ${totals.orders} orders, ${totals.broken.length} broken`);
    },
  });
  finish(totals, startedAt, json);
  return totals.broken.length > 0 ? 1 : 0;
}

function finish(totals: Totals, startedAt: number, json: boolean): ReturnType<typeof figuresOf> {
  tell(totals, print);
  keepBroken(totals.broken, print);
  const figures = figuresOf(totals, Math.round((Date.now() - startedAt) / 1_000));
  if (json) print(JSON.stringify(figures));
  return figures;
}
