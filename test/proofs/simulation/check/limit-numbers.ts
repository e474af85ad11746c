import { MAX_CLOCK_SKEW_MS, RULES_TTL_MS } from '../../../../shared/job/lease.ts';
import { isSlotCount, limitName } from '../../../../shared/features/limits/model/operator-limit.ts';
import type { Mutation } from '../world/observed-store.ts';
import type { SimProcess } from '../world/sim-process.ts';
import { Troubles } from './troubles.ts';

/** A reply that is on its way, as old as a stale read can be, and what the gate takes. */
const READ_MS = 10_000;
/** For so long a process may go by a number from before. */
export const OVERLAP_MS = RULES_TTL_MS + READ_MS + MAX_CLOCK_SKEW_MS;

/** A number from an instant on; absent: that of the code. */
interface Since {
  readonly at: number;
  readonly n: number | undefined;
}

/** What operators set limits to, and when. */
export class LimitNumbers {
  readonly #numbers = new Map<string, readonly Since[]>();
  readonly #troubles = new Troubles();

  see({ at, changes }: Mutation): void {
    for (const { table, key, after } of changes) {
      const name = table === 'control' && key['pk'] === 'rules' ? limitName(String(key['sk'])) : undefined;
      const n = after?.['n'];
      if (name !== undefined) this.#numbers.set(name, [...(this.#numbers.get(name) ?? []), { at, n: isSlotCount(n) ? n : undefined }]);
    }
  }

  /** The greatest number that was in force at any time since an instant. */
  greatest(name: string, coded: number, from: number): number {
    const all: readonly Since[] = [{ at: Number.NEGATIVE_INFINITY, n: undefined }, ...(this.#numbers.get(name) ?? [])];
    const lately = all.filter((_, index) => (all[index + 1]?.at ?? Number.POSITIVE_INFINITY) > from);
    return Math.max(...lately.map(({ n }) => n ?? coded));
  }

  /** The greatest number that a process may go by when it starts a job. One whose requests failed or that stood still may have any from before. */
  knownTo(by: SimProcess, { name, n }: { readonly name: string; readonly n: number }, now: number): number {
    const from = now + Math.min(0, by.skewMs) - OVERLAP_MS;
    return this.greatest(name, n, this.#troubles.since(by, from, now) ? Number.NEGATIVE_INFINITY : from);
  }
}
