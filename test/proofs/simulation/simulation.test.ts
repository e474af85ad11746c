import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BROKEN_WITHOUT_KILL } from './check/violations.ts';
import { runSeed, type SeedReport } from './run-seed.ts';
import { addSeed, noTotals, unexplainedRescues } from './totals.ts';

const FROM = 100_000;
/** A few fixed ones; `npm run simulate` runs the known seeds and many fresh ones. */
const SEEDS = 6;
/** Two that have a wire by themselves. */
const WIRED = [FROM + 3, FROM + 8];
const ROOT = join(import.meta.dirname, '..', '..', '..');
/** What the simulation is made of. */
const SOURCES = [
  'shared',
  'functions',
  'operate',
  'testing',
  'local',
  'scripts',
  'test/proofs/simulation',
  'test/support',
  'test/proofs/mutants',
  'test/proofs/exhaustive',
  'package.json',
];

/** Another checkout of the same code, in a folder with a longer name. */
function otherCheckout(): string {
  const parent = mkdtempSync(join(tmpdir(), 'nightcrew-seed-'));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const root = join(parent, 'a checkout of the same code', 'in'.repeat(60));
  for (const source of SOURCES) {
    mkdirSync(dirname(join(root, source)), { recursive: true });
    cpSync(join(ROOT, source), join(root, source), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  return root;
}

/** The last line of `npm run simulate -- --seed <seed>`, which names the trace. */
async function replayIn(root: string, seed: number): Promise<string> {
  const args = [join(root, 'test', 'proofs', 'simulation', 'main.ts'), '--seed', String(seed)];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  return (await text(child.stdout)).trim().split('\n').at(-1) ?? '';
}

/** Runs each seed once for all tests here. */
const first = new Map<number, Promise<SeedReport>>();
function firstRun(seed: number): Promise<SeedReport> {
  const run = first.get(seed) ?? runSeed(seed);
  first.set(seed, run);
  return run;
}

describe('a simulated deployment', () => {
  test(`keeps its promises through ${SEEDS} seeds of faults`, async () => {
    const totals = noTotals();
    for (let seed = FROM; seed < FROM + SEEDS; seed++) addSeed(totals, await firstRun(seed));
    expect(totals.violations).toEqual([]);
    expect(unexplainedRescues(totals)).toBeUndefined();
    expect(totals.operations).toBeGreaterThan(30_000);
  });

  test('does the same from the same seed in every folder', async () => {
    const other = otherCheckout();
    const { hash, violations, operations, jobs } = await firstRun(FROM);
    const line = `seed ${FROM}: ${operations} operations, ${jobs} jobs, trace ${hash}, ${violations.length} violations`;
    expect([await replayIn(ROOT, FROM), await replayIn(other, FROM)]).toEqual([line, line]);
  });

  test('does the same again from the same seed', async () => {
    for (let seed = FROM; seed < FROM + 4; seed++) expect((await runSeed(seed)).hash).toBe((await firstRun(seed)).hash);
    expect((await firstRun(FROM)).hash).not.toBe((await firstRun(FROM + 1)).hash);
  });

  test('does the same again from the same seed over a wire', async () => {
    for (const seed of WIRED) {
      const wired = await firstRun(seed);
      const again = await runSeed(seed, { wire: true });
      expect(again.violations).toEqual([]);
      expect(again.hash).toBe(wired.hash);
      expect((await runSeed(seed, { wire: false })).hash).not.toBe(wired.hash);
    }
  });

  test('keeps its promises where the store refuses writes that travel together', async () => {
    const options = { wire: true, batches: true, refusals: true };
    const { violations, faults } = await runSeed(FROM + 3, options);
    expect(violations).toEqual([]);
    expect(faults.get('wire-batch-refused')).toBeGreaterThan(0);
  });

  test('completes each job once even when no sandbox is killed at its deadline', async () => {
    const totals = noTotals();
    for (let seed = FROM; seed < FROM + 6; seed++)
      addSeed(totals, await runSeed(seed, { deadlines: false, forgiven: BROKEN_WITHOUT_KILL }));
    expect(totals.violations).toEqual([]);
  });
});
