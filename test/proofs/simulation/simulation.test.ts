import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BROKEN_WITHOUT_KILL } from './check/violations.ts';
import { runSeed, type SeedReport } from './run-seed.ts';
import { addSeed, noTotals } from './totals.ts';

const FROM = 100_070;
/** A few; `npm run simulate` runs the known seeds and many fresh ones. */
const SEEDS = 3;
/** Has a wire by itself. */
const WIRED = FROM + 3;
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
  test('does the same again from the same seed, in every folder', async () => {
    const { hash, violations, operations, jobs } = await firstRun(FROM);
    const line = `seed ${FROM}: ${operations} operations, ${jobs} jobs, trace ${hash}, ${violations.length} violations`;
    expect(await replayIn(otherCheckout(), FROM)).toBe(line);
    expect((await firstRun(FROM + 1)).hash).not.toBe(hash);
  });

  test('does the same again from the same seed over a wire', async () => {
    const wired = await firstRun(WIRED);
    const again = await runSeed(WIRED, { wire: true });
    expect(again.violations).toEqual([]);
    expect(again.hash).toBe(wired.hash);
    expect((await runSeed(WIRED, { wire: false })).hash).not.toBe(wired.hash);
  });

  test('keeps its promises where the store refuses writes that travel together', async () => {
    const options = { wire: true, batches: true, refusals: true };
    const { violations, faults } = await runSeed(WIRED, options);
    expect(violations).toEqual([]);
    expect(faults.get('wire-batch-refused')).toBeGreaterThan(0);
  });

  test('completes each job once even when no sandbox is killed at its deadline', async () => {
    const totals = noTotals();
    for (let seed = FROM; seed < FROM + SEEDS; seed++)
      addSeed(totals, await runSeed(seed, { deadlines: false, forgiven: BROKEN_WITHOUT_KILL }));
    expect(totals.violations).toEqual([]);
  });
});
