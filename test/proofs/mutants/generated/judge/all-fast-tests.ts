/**
 * Loads all fast tests into one process, and runs them by hand: once each to see what it reaches, or one after the other with a mutant on
 * until one fails. Started by judge-process.ts.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, type RunnerTestCase, test, vi } from 'vitest';
import { fileNumber, ROOT } from '../mutants.ts';
import { mutants } from '../switch.ts';
import { type LoadedTest, loadedTests, prepare, runOnce } from './loaded-tests.ts';
import { type JudgeLine, type MutantOrder, readOrder, type Verdict } from './orders.ts';

const order = readOrder(process.env['NIGHTCREW_JUDGE']);
const say = (line: JudgeLine): void => appendFileSync(order.out, `${JSON.stringify(line)}\n`);
/** A test that needs far longer with a mutant than without hangs. */
const HANGS_MS = 10_000;
/** A test that is as quick as this without a mutant does not hang because the machine is busy. */
const QUICK_MS = 1_000;
/** Rounds of loops of a test that makes nearly as many as a mutant may. */
const MANY_ROUNDS = 200_000;
const { setTimeout: later, clearTimeout: notLater } = globalThis;

mutants.active = order.work === 'judge' ? order.atLoad : undefined;
for (const file of order.files) {
  // oxlint-disable-next-line vitest/valid-title -- a file's name
  describe(file, async () => {
    say({ alive: file });
    await import(/* @vite-ignore */ pathToFileURL(join(ROOT, file)).href);
  });
}

// oxlint-disable-next-line vitest/expect-expect -- the tests that it runs have expectations
test('judges the mutants', { timeout: 0 }, async ({ task }) => {
  mutants.active = undefined;
  const tests = loadedTests(task.file);
  if (order.work === 'cover') for (const loaded of tests.values()) await cover(loaded, task);
  else {
    for (const [index, mutant] of order.mutants.entries()) {
      // A sample of nothing would say nothing, however busy the machine is.
      if (index > 0 && order.until !== undefined && Date.now() > order.until) return;
      say({ began: mutant.number });
      if (!(await judge(mutant, tests, task))) return;
    }
  }
});

async function cover(loaded: LoadedTest, task: RunnerTestCase): Promise<void> {
  say({ alive: loaded.key });
  const startedAt = performance.now();
  const seen = new Set<number>();
  const failure = await failureOf(loaded, task, { seen });
  const ms = Math.ceil(performance.now() - startedAt);
  // With an active mutant, this many rounds would count as an endless loop.
  const usable = failure === undefined && mutants.rounds < MANY_ROUNDS;
  say({ covered: { test: loaded.key, ms, ...(usable ? { seen: [...seen] } : {}) } });
}

/** The tests that noticed the last mutants of a file: they are tried first. */
const noticed = new Map<number, readonly string[]>();

/** False when this process is of no more use. */
async function judge({ number, tests: keys }: MutantOrder, tests: ReadonlyMap<string, LoadedTest>, task: RunnerTestCase): Promise<boolean> {
  const told = (verdict: Omit<Verdict, 'number'>): true => {
    say({ verdict: { number, ...verdict } });
    return true;
  };
  // It cannot be taken back here: that the test passes without it was seen when it was looked at what it reaches.
  const isLoaded = order.work === 'judge' && order.atLoad === number;
  let tried = 0;
  const file = fileNumber(number);
  const noticing = noticed.get(file) ?? [];
  const sooner = noticing.filter((key) => keys.includes(key));
  for (const loaded of [...new Set([...sooner, ...keys])].flatMap((key) => tests.get(key) ?? [])) {
    say({ alive: loaded.key });
    tried++;
    const failure = await failureOf(loaded, task, { number });
    if (failure === undefined) continue;
    const startedAt = performance.now();
    if (isLoaded || (await passesWithout(loaded, task))) {
      const hangs = failure === HANG && performance.now() - startedAt < QUICK_MS;
      if (!isLoaded && !hangs && !(await failsAgain(loaded, task, number))) continue;
      noticed.set(file, [...new Set([loaded.key, ...noticing])].slice(0, 8));
      return told({ killed: true, by: loaded.key, tests: tried });
    }
    if (failure === HANG) told({ killed: true, by: `${loaded.key} hangs`, tests: tried });
    say({ spoilt: loaded.key });
    return false;
  }
  return told({ killed: false, tests: tried });
}

/** Without the mutant the test must pass; otherwise state left by the mutant made it fail. */
async function passesWithout(loaded: LoadedTest, task: RunnerTestCase): Promise<boolean> {
  vi.restoreAllMocks();
  vi.useRealTimers();
  return (await failureOf(loaded, task, {})) === undefined;
}

/** A test that fails now and then has noticed nothing. */
async function failsAgain(loaded: LoadedTest, task: RunnerTestCase, number: number): Promise<boolean> {
  const failure = await failureOf(loaded, task, { number });
  vi.restoreAllMocks();
  vi.useRealTimers();
  return failure !== undefined;
}

const HANG = new Error('The test hangs.');

async function failureOf(
  loaded: LoadedTest,
  task: RunnerTestCase,
  { number, seen }: { readonly number?: number; readonly seen?: Set<number> },
): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const hangs = new Promise<never>((_, reject) => (timer = later(() => reject(HANG), HANGS_MS)));
  try {
    await prepare(loaded);
    mutants.rounds = 0;
    mutants.active = number ?? (order.work === 'judge' ? order.atLoad : undefined);
    mutants.seen = seen;
    await Promise.race([runOnce(loaded, task), hangs]);
    return undefined;
  } catch (error) {
    return error ?? new Error('failed');
  } finally {
    mutants.active = undefined;
    mutants.seen = undefined;
    notLater(timer);
  }
}
