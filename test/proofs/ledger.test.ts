import { describe, expect, test } from 'vitest';
import type { Figures, Run } from '../support/figures.ts';
import { type Ledger, savedLedger, withRuns } from './ledger.ts';
import { boundText, reliabilityDoc } from './reliability-doc.ts';

const EMPTY: Ledger = { version: '1.0.0', runs: [] };
const DATE = '2026-01-01';

function simulation(base: number, seeds: number): Run {
  return { proof: 'simulation', date: DATE, base, figures: { seeds, operations: 10 * seeds, faults: seeds, violations: 0, seconds: 5 } };
}

const figuresOf = (ledger: Ledger): readonly (Figures | undefined)[] => ledger.runs.map(({ figures }) => figures);

describe('recorded runs', () => {
  test('add up where each draws something else, and show what they have in common', () => {
    const ledger = withRuns(savedLedger(), [simulation(7, 1_000), simulation(9, 3_000)], savedLedger().version);
    const page = reliabilityDoc(ledger);
    const others = ledger.runs.filter(({ proof, base }) => proof === 'simulation' && base !== 7 && base !== 9);
    const seeds = others.reduce((sum, { figures }) => sum + Number(figures?.['seeds'] ?? 0), 4_000);
    expect(page).toContain(`simulation: ${seeds.toLocaleString('en-US')} seeds, `);
    expect(page).toContain('7 (1,000), 9 (3,000) |');
  });

  test('keep only the figures that the page shows', () => {
    expect(figuresOf(withRuns(EMPTY, [simulation(7, 1)], '1.0.0'))).toEqual([{ seeds: 1, operations: 10, faults: 1, violations: 0 }]);
  });

  test('count a base once', () => {
    const once = withRuns(EMPTY, [simulation(7, 10)], '1.0.0');
    expect(withRuns(once, [simulation(7, 10)], '1.0.0')).toEqual(once);
  });

  test('begin again after one that broke a promise, which stays named', () => {
    const failed: Run = { proof: 'simulation', date: DATE, base: 8 };
    const ledger = withRuns(EMPTY, [simulation(7, 1_000), failed, simulation(9, 500)], '1.0.0');
    expect(ledger.runs.map(({ base }) => base)).toEqual([8, 9]);
    expect(boundText(ledger)).toContain('500 fresh seeds in a row without a violation since base 8 broke a rule on 2026-01-01');
  });

  test('begin again with another version', () => {
    const ledger = withRuns(withRuns(EMPTY, [simulation(7, 1_000)], '1.0.0'), [simulation(9, 500)], '1.1.0');
    expect(ledger).toEqual(withRuns({ version: '1.1.0', runs: [] }, [simulation(9, 500)], '1.1.0'));
  });

  test('replace the last one of a proof that draws nothing new', () => {
    const walk = (steps: number): Run => ({ proof: 'ministack', date: DATE, figures: { version: '1', steps, resources: 1, jobs: 1 } });
    expect(withRuns(EMPTY, [walk(1), walk(2)], '1.0.0').runs).toHaveLength(1);
    expect(withRuns(withRuns(EMPTY, [walk(1)], '1.0.0'), [], '1.1.0').runs).toHaveLength(1);
  });
});

describe('the bound that follows', () => {
  test('is three through the number of seeds in a row', () => {
    const ledger = withRuns(EMPTY, [simulation(7, 20_000)], '1.0.0');
    expect(boundText(ledger)).toContain('20,000 fresh seeds in a row');
    expect(boundText(ledger)).toContain('here 0.00015, one seed in 6,666.');
  });

  test('is not claimed from seeds that were not drawn', () => {
    const { base: _none, ...named } = simulation(1, 1_000);
    expect(boundText(withRuns(EMPTY, [named], '1.0.0'))).toBe('No seeds of the simulation are recorded yet.');
  });
});
