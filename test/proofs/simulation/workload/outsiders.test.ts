import { expect, test } from 'vitest';
import { wideFaultsOf } from '../faults/wide-faults.ts';
import { runSeed } from '../run-seed.ts';

/** Wide worlds with workers outside Lambda, and with foreign code. */
const OUTSIDE = 5_000_091;
const FOREIGN = 7_100_105;

test.each([
  { fault: 'outside', seed: OUTSIDE, machines: 'pool' },
  { fault: 'foreign', seed: FOREIGN, machines: 'foreign' },
] as const)(
  'machines renew leases beside the functions of a deployment, and keep its promises ($fault)',
  async ({ fault, seed, machines }) => {
    expect(wideFaultsOf(seed).on).toContain(fault);
    const { violations, verbs, actors, faults } = await runSeed(seed);
    expect(violations).toEqual([]);
    expect(verbs.get('renew')).toBeGreaterThan(0);
    expect(faults.get(fault)).toBeGreaterThan(1);
    expect([...actors]).toContain(machines);
  },
);

test('a world has no machines any more when they are cut from it', async () => {
  const kinds = (await runSeed(OUTSIDE)).kinds.filter((fault) => fault !== 'outside');
  const { verbs, actors } = await runSeed(OUTSIDE, { cut: { faults: kinds } });
  expect(verbs.get('renew')).toBeUndefined();
  expect([...actors]).not.toContain('pool');
});
