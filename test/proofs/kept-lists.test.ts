import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { flowNamed } from './exhaustive/flows/flows.ts';
import { parseFaults as parsePoints } from './exhaustive/faults-text.ts';
import { LAYERS } from './differential/proof.ts';
import { TARGETS } from './fuzz/targets.ts';
import { parseFaults } from './orders/faults.ts';
import { parsePair } from './orders/meetings.ts';

const ROOT = join(import.meta.dirname, '..', '..');
type Kept = Readonly<Record<string, unknown>>;
const read = (path: string): unknown => JSON.parse(readFileSync(join(import.meta.dirname, path), 'utf8'));
const isSeed = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 1 && Number(value) < 2 ** 31;
const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** What each proof reads of a failure that it keeps. */
const FAILURES: Readonly<Record<string, (kept: Kept) => boolean>> = {
  simulation: ({ seed }) => isSeed(seed),
  orders: ({ pair, order, faults }) => parsePair(String(pair)) !== undefined && isText(order) && parseFaults(String(faults)) !== undefined,
  exhaustive: ({ flow, faults }) => flowNamed(String(flow)) !== undefined && parsePoints(String(faults)).length > 0,
  differential: ({ layer, seed }) => LAYERS.some((one) => one === layer) && isSeed(seed),
  fuzz: ({ target, seed }) => TARGETS.some(({ name }) => name === target) && isSeed(seed),
  'mutants/generated': ({ mutant }) => isText(mutant),
};

describe('the failures that proofs keep', () => {
  test.each(Object.entries(FAILURES))(
    'of %s can be repeated: fix the entry in its known-failures.json, or remove it',
    (proof, isRepeatable) => {
      const kept = read(join(proof, 'known-failures.json')) as readonly Kept[];
      expect(
        kept.filter((one) => !isRepeatable(one) || !isText(one['showed']) || ![undefined, true].includes(one['open'] as undefined)),
      ).toEqual([]);
    },
  );
});

describe('the files that proofs name', () => {
  const gone = (files: readonly string[]): readonly string[] => files.filter((file) => !existsSync(join(ROOT, file)));

  test('in noticing.json exist: npm run mutants -- --generated --all writes it anew', () => {
    const noticing = read('mutants/generated/noticing.json') as Readonly<Record<string, readonly string[]>>;
    expect(gone([...Object.keys(noticing), ...Object.values(noticing).flat()])).toEqual([]);
  });

  test('in judged.json exist: rename the entry with its file, or remove it', () => {
    expect(gone(Object.keys(read('mutation/judged.json') as Kept))).toEqual([]);
  });
});
