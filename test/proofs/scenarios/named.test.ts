import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const TESTS = join(import.meta.dirname, '..', '..');

/** Sequences of events that earlier forms of the design did not survive. */
const SCENARIOS = [
  'group-message-gone',
  'thawed-handler',
  'frozen-producer',
  'fifo-delay',
  'dedup-swallow',
  'group-charset',
  'edit-under-move',
  'stale-cache-parks',
  'fire-page-too-big',
  'innocent-neighbours',
  'bury-storm',
  'busy-queue-hides-loss',
  'key-outlived',
  'pointer-expired',
  'looked-between',
  'lost-reply-on-release',
  'late-tick',
  'duplicate-of-a-snoozer',
  'bury-overwrites',
  'batch-hot-row',
];

test('every sequence of events that once went wrong has a test that carries its name', () => {
  const files = globSync('{proofs/scenarios,flow,race,features/*/flow,features/*/race}/*.test.ts', { cwd: TESTS });
  const titles = files.map((file) => readFileSync(join(TESTS, file), 'utf8')).join('\n');
  expect(SCENARIOS.filter((name) => !titles.includes(`(${name})'`))).toEqual([]);
});
