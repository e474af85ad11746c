import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { PROMISES } from '../proof/promises.ts';
import { PROOFS, SHOWN_FIGURES } from '../proof/proofs.ts';
import { reliabilityDoc } from '../proof/reliability-doc.ts';
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
const page = (): string => readFileSync(fromRoot('docs/reliability.md'), 'utf8');

describe('docs/reliability.md', () => {
  test('says of each promise how it is tested (npm run prove writes it)', () => {
    for (const { promise, how } of PROMISES) expect(page()).toContain(`| ${promise} | ${how} | `);
    expect(
      page()
        .split('\n')
        .filter((line) => line.startsWith('| ')),
    ).toHaveLength(PROMISES.length + 2);
  });

  test('shows the figures of every proof, and of no other', () => {
    const shown = new Set(PROMISES.flatMap(({ proofs }) => proofs));
    expect([...shown].toSorted()).toEqual([...PROOFS.map(({ name }) => name), ...BESIDES].toSorted());
  });

  test('is not written when a proof has no figures, or not those that are shown', () => {
    expect(() => reliabilityDoc(() => undefined)).toThrow(/npm run prove -- simulation/);
    expect(() => reliabilityDoc(() => ({ seconds: 1 }))).toThrow(`left no figure ${SHOWN_FIGURES['simulation']?.[0]}`);
  });
});
