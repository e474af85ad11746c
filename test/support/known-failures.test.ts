import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type KnownFailure, knownFailures, oneOfEach, reportOpen, shownBriefly } from './known-failures.ts';

interface KnownSeed extends KnownFailure {
  readonly seed: number;
}

function emptyList(): string {
  const folder = mkdtempSync(join(tmpdir(), 'nightcrew-known-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'known-failures.json'), '[]\n');
  return folder;
}

test('a run that failed is kept as open for all later ones, on a line of its own that is printed, too', () => {
  const [folder, printed] = [emptyList(), [] as string[]];
  const known = knownFailures<KnownSeed>(folder);
  known.keep([{ seed: 5, showed: 'nothing-lost: job 1' }], (line) => printed.push(line));
  known.keep([{ seed: 7, showed: 'never-early: job 2' }], () => {});
  expect(knownFailures<KnownSeed>(folder).open).toEqual([
    { seed: 5, showed: 'nothing-lost: job 1', open: true },
    { seed: 7, showed: 'never-early: job 2', open: true },
  ]);
  const lines = readFileSync(join(folder, 'known-failures.json'), 'utf8').split('\n');
  expect(lines).toContain('  {"seed":5,"showed":"nothing-lost: job 1","open":true},');
  expect(printed.at(-1)?.trim()).toBe('{"seed":5,"showed":"nothing-lost: job 1","open":true}');
});

test('a run that is known is not kept twice, whatever it shows now', () => {
  const [folder, printed] = [emptyList(), [] as string[]];
  const known = knownFailures<KnownSeed>(folder);
  for (const showed of ['nothing-lost', 'one-place']) known.keep([{ seed: 5, showed }], (line) => printed.push(line));
  expect(knownFailures<KnownSeed>(folder).open).toEqual([{ seed: 5, showed: 'nothing-lost', open: true }]);
  expect(printed).toHaveLength(2);
});

test('a failure is closed once its "open" is removed, and is not opened again by being found again', () => {
  const folder = emptyList();
  writeFileSync(join(folder, 'known-failures.json'), '[{"seed":5,"showed":"nothing-lost"}]\n');
  const known = knownFailures<KnownSeed>(folder);
  known.keep([{ seed: 5, showed: 'one-place' }], () => {});
  expect(known.open).toEqual([]);
  expect(knownFailures<KnownSeed>(folder).closed).toEqual([{ seed: 5, showed: 'nothing-lost' }]);
});

test('an open failure is reported, and asks to be closed once it holds', async () => {
  const printed: string[] = [];
  const open = [5, 7].map((seed): KnownSeed => ({ seed, showed: 'nothing-lost', open: true }));
  await reportOpen(
    open,
    async ({ seed }) => seed === 5,
    (line) => printed.push(line),
  );
  expect(printed).toEqual([expect.stringContaining('still broken: {"seed":5'), expect.stringContaining('remove its "open"')]);
});

test('of many runs that broke the same rule the first is kept', () => {
  const found = [
    { seed: 1, rule: 'a' },
    { seed: 2, rule: 'b' },
    { seed: 3, rule: 'a' },
  ];
  expect(oneOfEach(found, ({ rule }) => rule).toSorted((a, b) => a.seed - b.seed)).toEqual(found.slice(0, 2));
});

test('what a failure showed fits on a line', () => {
  expect(shownBriefly('Error: no\n    at place (file.ts:1:2)')).toBe('Error: no at place (file.ts:1:2)');
  expect(shownBriefly('x'.repeat(1_000)).length).toBeLessThan(200);
});
