import { AsyncLocalStorage } from 'node:async_hooks';
import type { Tables } from '../shared/ports/tables.ts';

const signals = new AsyncLocalStorage<AbortSignal>();

/** A read was not started, because its caller has gone. */
export class ReadStoppedError extends Error {
  override readonly name = 'ReadStoppedError';
}

/** Runs work whose reads stop once the signal is aborted: the next one throws ReadStoppedError. Writes continue. */
export async function readUntil<Value>(signal: AbortSignal, work: () => Promise<Value>): Promise<Value> {
  return signals.run(signal, work);
}

/** Whether the reads of this call are stopped. */
export function readsAreStopped(): boolean {
  return signals.getStore()?.aborted === true;
}

/** The same tables, with reads that `readUntil` can stop between two requests. */
export function stoppableReads(tables: Tables): Tables {
  const check = (): void => {
    if (readsAreStopped()) throw new ReadStoppedError('The caller no longer waits for this read.');
  };
  return {
    write: async (...given) => tables.write(...given),
    transact: async (...given) => tables.transact(...given),
    putAll: async (...given) => tables.putAll(...given),
    async get(...given) {
      check();
      return tables.get(...given);
    },
    async query(query) {
      check();
      return tables.query(query);
    },
    async scan(scan) {
      check();
      return tables.scan(scan);
    },
  };
}
