import { isDeepStrictEqual } from 'node:util';
import { CONFLICT_RETRIES } from '../../../../shared/adapters/dynamodb/single-write.ts';
import { createMemoryTables } from '../../../../shared/adapters/memory/tables.ts';
import { SettableClock } from '../../../../shared/adapters/memory/settable-clock.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import { type Answer, DifferenceError, shown } from '../answer.ts';
import type { Coverage } from '../coverage.ts';
import { countingTables } from '../counting-tables.ts';
import { type LoanedStore, memorySnapshot } from '../stores.ts';
import { countHits } from './hits.ts';
import type { Operation } from './operation.ts';
import { isFenced, perform } from './perform.ts';
import { isWellFormed } from './well-formed.ts';
import { windowsOf } from './windows.ts';

/**
 * Performs a sequence on the memory store and on the other one, side by side, and throws a DifferenceError at the first answer
 * that differs, or when the tables differ in the end. The store is left empty. `run.name` distinguishes this sequence's tokens from others.
 */
export async function compareSequence(
  operations: readonly Operation[],
  store: LoanedStore,
  coverage: Coverage,
  run: { readonly seed: number; readonly name: string },
): Promise<void> {
  const clock = new SettableClock();
  const hasWindow = windowsOf(run.seed);
  const stated = store.conflicts.statements;
  // Backoff takes no time, because there are no other writers.
  const patient: Clock = { now: () => clock.now(), wait: async () => {} };
  const memory = createMemoryTables({ clock });
  const tables = countingTables(store.tables(patient), coverage);
  let last: (Operation & { readonly op: 'transact' }) | undefined;
  try {
    for (const [step, given] of operations.entries()) {
      const operation = prepared(given, run.name, step);
      const stage = { now: clock.now(), last, hasWindow };
      const conflicts = conflictsOf(operation);
      store.conflicts.next(conflicts);
      const fromStore = await perform({ ...stage, tables }, operation);
      store.conflicts.next(0);
      const lasting = conflicts > CONFLICT_RETRIES;
      const fromMemory = lasting ? turnedAway(operation) : await perform({ ...stage, tables: memory }, operation);
      if (
        !isDeepStrictEqual(fromMemory, fromStore) &&
        !bothWroteNothing(operation.op === 'again' ? stage.last : operation, fromMemory, fromStore)
      ) {
        throw new DifferenceError(`step ${step}: ${shown(operation)}`, fromMemory, fromStore);
      }
      countHits(operation, fromMemory, coverage);
      if (isFenced(operation, hasWindow)) coverage.hit('write without a window');
      if (operation.op === 'transact') last = operation;
    }
    const [expected, found] = [memorySnapshot(memory), await store.snapshot()];
    if (!isDeepStrictEqual(expected, found)) throw new DifferenceError('the tables in the end', expected, found);
    coverage.hit('snapshot');
    coverage.hit('statement', store.conflicts.statements - stated);
    await store.clear(expected);
  } catch (error) {
    await store.renew();
    throw error;
  }
}

/** Tokens are told apart by sequence. What is refused for its form meets no trouble: which of the two is noticed first is not promised. */
function prepared(given: Operation, run: string, step: number): Operation {
  const operation = given.op === 'transact' ? { ...given, token: `${run}/${given.token === 'fresh' ? step : given.token}` } : given;
  if (isWellFormed(operation)) return operation;
  const { trouble: _trouble, closed: _closed, ...calm } = operation as Operation & { trouble?: unknown; closed?: unknown };
  return calm;
}

function conflictsOf(operation: Operation): number {
  return operation.op === 'write' || operation.op === 'transact' ? (operation.trouble?.conflicts ?? 0) : 0;
}

/**
 * Refused and not applied are the same where a request is wrong in its form, or cannot be applied to a row, and a condition fails
 * besides: which of the two DynamoDB names is not promised. Either way nothing is written, which the tables show in the end.
 */
function bothWroteNothing(operation: Operation | undefined, fromMemory: Answer, fromStore: Answer): boolean {
  const wroteNothing = (answer: Answer): boolean => 'error' in answer || (answer.value as { readonly applied?: boolean }).applied === false;
  if (operation === undefined || ![fromMemory, fromStore].every(wroteNothing)) return false;
  return !isWellFormed(operation) || JSON.stringify(fromMemory).includes('"code":"conflict"');
}

/** What the port promises of a conflict that outlasts every try. */
function turnedAway(operation: Operation): Answer {
  if (operation.op !== 'transact') return { error: 'StoreUnavailableError STORE_UNAVAILABLE retryable' };
  return { value: { applied: false, reasons: operation.writes.map((_, at) => ({ code: at === 0 ? 'conflict' : 'none' })) } };
}
