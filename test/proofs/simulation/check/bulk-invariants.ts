import { MAX_CLOCK_SKEW_MS } from '../../../../shared/job/lease.ts';
import type { Mutation } from '../world/observed-store.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { Violations } from './violations.ts';

/** A bulk action is one process's at a time: nobody else writes its row but who takes it when its lease is over. */
export class BulkInvariants {
  readonly #violations: Violations;
  /** Who wrote each owner first. */
  readonly #takers = new Map<string, SimProcess>();

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  see({ by, at, changes }: Mutation): void {
    for (const { table, key, before, after } of changes) {
      if (table !== 'control' || key['pk'] !== 'bulk') continue;
      const holder = this.#takers.get(String(before?.['lockOwner']));
      const owner = String(after?.['lockOwner']);
      const takes = after?.['lockOwner'] !== undefined && !this.#takers.has(owner);
      const lives = Date.parse(String(before?.['lockExpiresAt'])) > at + MAX_CLOCK_SKEW_MS;
      if (before !== undefined && holder !== by && (lives || !takes))
        this.#violations.add('live-lease', `bulk action ${key['sk']}: changed by ${by.name}, it is held by ${holder?.name ?? 'nobody'}`);
      if (takes) this.#takers.set(owner, by);
    }
  }
}
