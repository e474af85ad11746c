import fc from 'fast-check';
import { shown } from './answer.ts';
import type { LoanedStore } from './stores.ts';
import { Coverage } from './coverage.ts';
import { compareSequence } from './tables/compare-sequence.ts';
import { REQUIRED_OF_TABLES } from './tables/hits.ts';
import { operations } from './tables/operations.ts';
import { compareVerbs } from './verbs/compare-verbs.ts';
import { REQUIRED_OF_VERBS, verbs } from './verbs/verbs.ts';

/** The two layers: calls of the port, and verbs of the store and the client on top of it. */
export const LAYERS = ['tables', 'verbs'] as const;
export type Layer = (typeof LAYERS)[number];

/** Which sequences to run. `path` replays one, as fast-check named it. */
export interface Round {
  readonly layer: Layer;
  readonly seed: number;
  readonly sequences: number;
  readonly path?: string;
}

/** Ten times what a round takes on a busy machine: it ends a hanging store, and the search for a shorter counterexample. */
const ROUND_MS = 20 * 60_000;
/** The cases that must occur in a run of each layer. */
export const REQUIRED: Readonly<Record<Layer, readonly string[]>> = { tables: REQUIRED_OF_TABLES, verbs: REQUIRED_OF_VERBS };

/** The sequences found two stores to differ; the message has the shortest counterexample and how to replay it. */
export class CounterexampleError extends Error {
  override readonly name = 'CounterexampleError';
  /** The round that shows it; absent when all of them together missed something. */
  readonly round: Pick<Round, 'layer' | 'seed'> | undefined;

  constructor(message: string, round?: Pick<Round, 'layer' | 'seed'>) {
    super(message);
    this.round = round;
  }
}

/** Runs one round of sequences on a store that is its own meanwhile. Throws a CounterexampleError. */
export async function runRound(round: Round, store: LoanedStore, coverage: Coverage): Promise<void> {
  const { layer, seed, sequences, path } = round;
  let sequence = 0;
  const name = (): string => `${layer}/${seed}/${sequence++}`;
  // A store that is slow to create tables would shrink for hours: what was found by then is short enough.
  const options = {
    seed,
    numRuns: sequences,
    interruptAfterTimeLimit: ROUND_MS,
    markInterruptAsFailure: true,
    ...(path === undefined ? {} : { path }),
  };
  const found =
    layer === 'tables'
      ? await fc.check(
          fc.asyncProperty(operations, (operations) => compareSequence(operations, store, coverage, { seed, name: name() })),
          options,
        )
      : await fc.check(
          fc.asyncProperty(verbs, (verbs) => compareVerbs(verbs, store, coverage, { seed, name: name() })),
          options,
        );
  coverage.hit('sequences', found.numRuns);
  if (!found.failed) return;
  if (found.counterexample === null)
    throw new Error(`${layer}, seed ${seed}: no difference, but the round did not end in ${ROUND_MS / 60_000} minutes`);
  const shortest = found.counterexample[0].map((step) => `    ${shown(step)}`);
  throw new CounterexampleError(
    `the stores differ: --layer ${layer} --seed ${seed} --path ${found.counterexamplePath}\n${shortest.join('\n')}\n${String(found.errorInstance)}`,
    { layer, seed },
  );
}

/** Required cases that did not occur; a run without them proves less than it claims. */
export function notMet(layer: Layer, coverage: Coverage): readonly string[] {
  return coverage.missing(REQUIRED[layer]);
}
