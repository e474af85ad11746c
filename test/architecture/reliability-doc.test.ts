import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { FOUND_BUGS } from '../proofs/found-bugs.ts';
import { savedLedger } from '../proofs/ledger.ts';
import { PROMISES } from '../proofs/promises.ts';
import { PROOFS } from '../proofs/proofs.ts';
import { reliabilityDoc } from '../proofs/reliability-doc.ts';
import { KNOWN_SEEDS } from '../proofs/simulation/known-seeds.ts';
import { fromRoot } from './source-files.ts';

/** Figures that the tests leave, or that a proof leaves besides its own. */
const BESIDES = [
  'fault-kit',
  'black-hole',
  'dynamodb-local',
  'scenario-outage',
  'scenario-overload',
  'scenario-one-group',
  'scenario-midnight',
];
const page = (): string => readFileSync(fromRoot('docs/reference/reliability.md'), 'utf8');

describe('docs/reference/reliability.md', () => {
  test('is what its generator makes of the recorded runs (npm run prove -- --record)', () => {
    expect(page()).toBe(reliabilityDoc(savedLedger()));
  });

  test('shows the figures of every proof, and of no other', () => {
    const shown = new Set(PROMISES.flatMap(({ proofs }) => proofs));
    expect([...shown].toSorted()).toEqual([...PROOFS.map(({ name }) => name), ...BESIDES].toSorted());
  });

  test('is not written when a proof has no figures, or not those that are shown', () => {
    const { runs, ...ledger } = savedLedger();
    const others = runs.filter(({ proof }) => proof !== 'fuzz');
    const fuzz = { proof: 'fuzz', date: '2026-01-01', base: 1 };
    expect(() => reliabilityDoc({ ...ledger, runs: others })).toThrow(/npm run prove -- fuzz/);
    expect(() => reliabilityDoc({ ...ledger, runs: [...others, fuzz] })).toThrow(/npm run prove -- fuzz/);
    expect(() => reliabilityDoc({ ...ledger, runs: [...others, { ...fuzz, figures: { targets: 1 } }] })).toThrow('left no figure inputs');
  });

  test.each(FOUND_BUGS)('names a test that there is: $bug', ({ test: [file, title] }) => {
    expect(readFileSync(fromRoot(file), 'utf8')).toContain(title);
  });

  test('names seeds of the simulation that every run repeats', () => {
    const seeds = FOUND_BUGS.flatMap(({ by }) => (by.startsWith('simulation, seed') ? (by.match(/\d+/g) ?? []) : [])).map(Number);
    const known = new Set(KNOWN_SEEDS.map(({ seed }) => seed));
    expect(seeds.length).toBeGreaterThan(10);
    expect(seeds.filter((seed) => !known.has(seed))).toEqual([]);
  });
});
