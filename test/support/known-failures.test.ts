import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type KnownFailure, knownFailures, oneOfEach, shownBriefly } from './known-failures.ts';

interface KnownSeed extends KnownFailure {
  readonly seed: number;
}

function emptyList(): string {
  const folder = mkdtempSync(join(tmpdir(), 'nightcrew-known-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'known-failures.json'), '[]\n');
  return folder;
}

test('a run that failed is kept for all later ones, on a line of its own that is printed, too', () => {
  const [folder, printed] = [emptyList(), [] as string[]];
  const known = knownFailures<KnownSeed>(folder);
  known.keep([{ seed: 5, showed: 'nothing-lost: job 1' }], (line) => printed.push(line));
  known.keep([{ seed: 7, showed: 'never-early: job 2' }], () => {});
  expect(knownFailures<KnownSeed>(folder).all).toEqual([
    { seed: 5, showed: 'nothing-lost: job 1' },
    { seed: 7, showed: 'never-early: job 2' },
  ]);
  const lines = readFileSync(join(folder, 'known-failures.json'), 'utf8').split('\n');
  expect(lines).toContain('  {"seed":5,"showed":"nothing-lost: job 1"},');
  expect(printed.at(-1)?.trim()).toBe('{"seed":5,"showed":"nothing-lost: job 1"}');
});

test('a run that is known is not kept twice, whatever it shows now', () => {
  const [folder, printed] = [emptyList(), [] as string[]];
  const known = knownFailures<KnownSeed>(folder);
  for (const showed of ['nothing-lost', 'one-place']) known.keep([{ seed: 5, showed }], (line) => printed.push(line));
  expect(knownFailures<KnownSeed>(folder).all).toEqual([{ seed: 5, showed: 'nothing-lost' }]);
  expect(printed).toHaveLength(2);
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
