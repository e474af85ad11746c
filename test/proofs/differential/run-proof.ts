import { randomBytes } from 'node:crypto';
import { Coverage } from './coverage.ts';
import { CounterexampleError, LAYERS, type Layer, notMet, type Round, runRound } from './proof.ts';
import { type LoanedStore, openStore } from './stores.ts';

/** How much to prove, and where. */
export interface ProofOptions {
  readonly endpoint: string;
  /** Calls of the port that the store must have answered, at least; a third of them below verbs. */
  readonly operations: number;
  /** Exactly so many rounds of each layer instead, so that every run compares the same. */
  readonly rounds?: number;
  readonly seed: number;
  /** Rounds to repeat before any fresh one. */
  readonly first?: readonly Pick<Round, 'layer' | 'seed'>[];
  readonly onProgress?: (layer: Layer, operations: number) => void;
}

/** The result of a proof. */
export interface ProofReport {
  readonly operations: number;
  readonly sequences: number;
  readonly counts: Readonly<Record<Layer, Readonly<Record<string, number>>>>;
}

const PARALLEL = 6;
/** Sequences of a round, which has one seed. */
export const SEQUENCES_A_ROUND = 10;
/** Operations allowed beyond twice the requested number, to reach required cases that did not occur by chance. */
const GRACE = 2_000;
const SHARES: Readonly<Record<Layer, number>> = { tables: 2 / 3, verbs: 1 / 3 };

/**
 * Runs rounds of sequences side by side, each in tables of its own, until enough operations were compared and everything that
 * is required was met. Throws when the stores differ, or when something was not met in about twice the operations.
 */
export async function runProof(options: ProofOptions): Promise<ProofReport> {
  const prefix = `differential-${randomBytes(4).toString('hex')}`;
  const stores = await Promise.all(Array.from({ length: PARALLEL }, (_, n) => openStore(options.endpoint, `${prefix}-${n}`)));
  try {
    const counts: Partial<Record<Layer, Coverage>> = {};
    for (const layer of LAYERS) counts[layer] = await runLayer(layer, stores, options);
    const all = Object.values(counts);
    const sum = (what: string): number => all.reduce((total, coverage) => total + coverage.count(what), 0);
    const shown = Object.fromEntries(LAYERS.map((layer) => [layer, counts[layer]?.all() ?? {}])) as ProofReport['counts'];
    return { operations: sum('operations'), sequences: sum('sequences'), counts: shown };
  } finally {
    for (const store of stores) store.close();
  }
}

async function runLayer(layer: Layer, stores: readonly LoanedStore[], options: ProofOptions): Promise<Coverage> {
  const { seed, first = [], onProgress } = options;
  const repeated = first.filter((one) => one.layer === layer).map((one) => one.seed);
  const enough = options.operations * SHARES[layer];
  const coverage = new Coverage();
  let round = 0;
  let failed = false;
  const goesOn = (): boolean => {
    if (repeated.length > 0) return !failed;
    if (options.rounds !== undefined) return !failed && round < options.rounds;
    const done = coverage.count('operations');
    return !failed && (done < enough || (done < 2 * enough + GRACE && notMet(layer, coverage).length > 0));
  };
  await Promise.all(
    stores.map(async (store) => {
      while (goesOn()) {
        // Rounds have seeds of their own, so that any of them can be replayed alone.
        const own = repeated.shift() ?? (seed + (round++ % 1_000_000) * 7919) % 2 ** 31;
        try {
          await runRound({ layer, seed: own, sequences: SEQUENCES_A_ROUND }, store, coverage);
        } catch (error) {
          failed = true;
          throw error;
        }
        onProgress?.(layer, coverage.count('operations'));
      }
    }),
  );
  const missing = notMet(layer, coverage);
  if (missing.length > 0) throw new CounterexampleError(`layer ${layer}, seed ${seed}: never met: ${missing.join(', ')}`);
  return coverage;
}
