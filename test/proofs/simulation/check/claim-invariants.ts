import { readClaim } from '../../../../shared/features/claim-check/model/claim.ts';
import type { Row } from '../../../../shared/ports/tables.ts';
import type { Mutation, ObservedStore } from '../world/observed-store.ts';
import type { PayloadEvent, SimPayloads } from '../world/sim-payloads.ts';
import type { Violations } from './violations.ts';

const LIVING = ['jobs', 'timers', 'suspended', 'deadLetters'] as const;

/** What a row claims is in the store, from before the row is written until it is gone, and belongs to the job of the row. */
export class ClaimInvariants {
  readonly #violations: Violations;
  readonly #payloads: SimPayloads;
  /** Where a key is referred to at present. */
  readonly #rows = new Map<string, Set<string>>();

  constructor(violations: Violations, payloads: SimPayloads) {
    this.#violations = violations;
    this.#payloads = payloads;
    payloads.onEvent = (event) => this.#seeStore(event);
  }

  see({ by, changes }: Mutation): void {
    for (const { table, key, before, after } of changes) {
      if (!LIVING.some((one) => one === table)) continue;
      const row = `${table} ${JSON.stringify(key)}`;
      const [earlier, claimed] = [claimOf(before), claimOf(after)];
      if (earlier !== undefined) this.#rows.get(earlier)?.delete(row);
      if (claimed === undefined) continue;
      this.#rows.set(claimed, (this.#rows.get(claimed) ?? new Set()).add(row));
      const id = String(after?.['id']);
      if (!this.#payloads.kept.has(claimed)) this.#add(`${by.name} wrote ${id}, whose payload ${claimed} is not in the store`);
      if (!claimed.startsWith(`${id}/`)) this.#add(`${by.name} gave ${id} the payload ${claimed} of another job`);
    }
  }

  #seeStore({ by, key, what }: PayloadEvent): void {
    const rows = [...(this.#rows.get(key) ?? [])];
    if (what === 'deleted' && rows.length > 0) this.#add(`${by.name} removed ${key}, which ${rows.join()} needs`);
  }

  /** After a last run of the cleaner. A damaged row keeps its payload, wherever it names it. */
  checkEnd({ tables }: ObservedStore): void {
    const rows = JSON.stringify(LIVING.map((table) => tables.rows(table)));
    for (const key of this.#payloads.kept.keys()) {
      if (!rows.includes(key)) this.#violations.add('nothing-left', `no row needs ${key}, and it is still in the store`);
    }
  }

  #add(what: string): void {
    this.#violations.add('claim-kept', what);
  }
}

function claimOf(row: Row | undefined): string | undefined {
  if (typeof row?.['payload'] !== 'string' || row['codec'] !== 'claim-check') return undefined;
  const claim = readClaim(row['payload']);
  return typeof claim === 'object' ? claim.key : undefined;
}
