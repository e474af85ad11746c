import { StoreUnavailableError } from '../../shared/job/errors.ts';
import type { Tables } from '../../shared/ports/tables.ts';

/** Tables whose process can be cut off from them (every call fails), or die (no call ever ends). */
export interface SeveredTables {
  readonly tables: Tables;
  cutOff(): void;
  /** The process is back: calls reach the tables again. */
  fix(): void;
  die(): void;
  /** Dies at its n-th call from now on: the call reaches the tables, its reply is lost. */
  dieAt(call: number): void;
  /** Calls so far. */
  readonly calls: number;
  readonly dead: boolean;
}

/** Wraps tables for one process among several. */
export function severedTables(inner: Tables): SeveredTables {
  let state: 'up' | 'cut-off' | 'dead' = 'up';
  let calls = 0;
  let diesAt: number | undefined;
  const never = <Answer>(): Promise<Answer> => new Promise<Answer>(() => {});
  const through = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
    if (state === 'cut-off') throw new StoreUnavailableError('test', new Error('cut off'));
    calls += 1;
    if (state === 'dead') return never();
    if (calls !== diesAt) return call();
    state = 'dead';
    await call();
    return never();
  };
  return {
    tables: {
      get: (...args) => through(() => inner.get(...args)),
      write: (...args) => through(() => inner.write(...args)),
      transact: (...args) => through(() => inner.transact(...args)),
      putAll: (...args) => through(() => inner.putAll(...args)),
      query: (...args) => through(() => inner.query(...args)),
      scan: (...args) => through(() => inner.scan(...args)),
    },
    cutOff: () => void (state = 'cut-off'),
    fix: () => void (state = 'up'),
    die: () => void (state = 'dead'),
    dieAt: (call) => void (diesAt = calls + call),
    get calls() {
      return calls;
    },
    get dead() {
      return state === 'dead';
    },
  };
}
