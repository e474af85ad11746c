import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testDynamo } from '../../support/emulators.ts';
import { TEST_SEED } from '../../support/test-seed.ts';
import { Coverage } from './coverage.ts';
import { CounterexampleError, LAYERS, notMet, runRound } from './proof.ts';
import { type LoanedStore, openStore } from './stores.ts';
import { openWireStore } from './wire-store.ts';

// A long run is npm run differential; this one shows in seconds that both stores still say the same, and that a difference is found.
const SEQUENCES = 15;
const seed = TEST_SEED;

let store: LoanedStore;
beforeAll(async () => {
  store = await openStore((await testDynamo()).endpoint, 'differential');
});
afterAll(() => store.close());

describe('the DynamoDB of the simulation', () => {
  test.each(LAYERS)('comes to the same answers and the same rows as the memory store, through random sequences of %s', async (layer) => {
    const [wire, coverage] = [openWireStore(), new Coverage()];
    await runRound({ layer, seed, sequences: 4 * SEQUENCES }, wire, coverage);
    expect(coverage.count('snapshot')).toBe(4 * SEQUENCES);
    wire.close();
  });
});

describe('the memory store beside DynamoDB', () => {
  test.each(LAYERS)('random sequences of %s come to the same answers and the same rows', async (layer) => {
    const coverage = new Coverage();
    await runRound({ layer, seed, sequences: SEQUENCES }, store, coverage);
    expect(coverage.count('operations')).toBeGreaterThan(100);
    expect(coverage.count('snapshot')).toBe(SEQUENCES);
  });

  test('a store that forgets a condition is found out, with a short counterexample and how to replay it', async () => {
    const forgetful: LoanedStore = {
      ...store,
      tables: (clock) => {
        const tables = store.tables(clock);
        return {
          ...tables,
          write: async ({ condition: _forgotten, ...write }, window) => tables.write(write, window),
        };
      },
    };
    const found = runRound({ layer: 'tables', seed: 1, sequences: 50 }, forgetful, new Coverage());
    await expect(found).rejects.toThrow(CounterexampleError);
    await expect(found).rejects.toThrow(/--layer tables --seed 1 --path [\d:]+\n(.*\n){1,4}DifferenceError/);
  });

  test('what a run did not meet is named', () => {
    expect(notMet('tables', new Coverage())).toContain('reason conflict');
    expect(notMet('verbs', new Coverage())).toContain('claim expired');
  });
});
