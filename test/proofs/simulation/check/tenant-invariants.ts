import type { Row } from '../../../../shared/ports/tables.ts';
import type { Change, Mutation } from '../world/observed-store.ts';
import { batchOf } from './batch-invariants.ts';
import type { Step } from './job-tracker.ts';
import type { Violations } from './violations.ts';

/** A batch with what has its tenant: its callbacks by sort key, and its row in the list, where it has one. */
interface Owned {
  readonly tenants: Set<unknown>;
  readonly callbacks: Map<string, unknown>;
  head?: Row;
}

/** A batch changes its tenant only when an operator says so, its callbacks with it, and its jobs go to no other. No callback of the workload has a tenant of its own. */
export class TenantInvariants {
  readonly #violations: Violations;
  readonly #batches = new Map<string, Owned>();

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  /** Before the tracker has seen the mutation. */
  seeRows({ by, call, changes }: Mutation): void {
    const moved = new Map<string, Change>();
    for (const change of changes) {
      const id = change.table === 'control' ? batchOf(change.key['pk']) : undefined;
      if (id === undefined) continue;
      if (change.key['sk'] === 'head') this.#seeHead(id, change, moved);
      else if (change.key['sk']?.startsWith('call#') === true) this.#seeCallback(id, change);
    }
    for (const [id, { before, after }] of moved) {
      if (call?.name !== 'changeBatchTenant')
        this.#add(`${by.name} moved ${id} from ${shown(before)} to ${shown(after)}, and was not asked to`);
      this.#checkFollowed(id, changes);
    }
  }

  #seeHead(id: string, change: Change, moved: Map<string, Change>): void {
    const { before, after } = change;
    if (after === undefined) return void this.#batches.delete(id);
    const owned = this.#ownedBy(id);
    owned.head = after;
    owned.tenants.add(after['tenant']);
    if (before !== undefined && before['tenant'] !== after['tenant']) moved.set(id, change);
  }

  #seeCallback(id: string, { key, after }: Change): void {
    const { callbacks } = this.#ownedBy(id);
    if (after === undefined) callbacks.delete(key['sk'] ?? '');
    else callbacks.set(key['sk'] ?? '', (JSON.parse(String(after['json'])) as Row)['tenant']);
  }

  /** What is still to be enqueued has the new tenant, in the same transaction; so has the row in the list, if it was written. */
  #checkFollowed(id: string, changes: readonly Change[]): void {
    const { head, callbacks } = this.#ownedBy(id);
    const tenant = head?.['tenant'];
    for (const [sk, of] of callbacks) {
      const isFired = head?.[`${sk.slice('call#'.length)}Fired`] === true;
      if (!isFired && of !== tenant) this.#add(`${id} went to ${String(tenant)}, and its callback ${sk} is of ${String(of)}`);
    }
    const listed = changes.find(({ key }) => key['pk'] === 'batches' && key['sk'] === id)?.after;
    if (listed !== undefined && listed['tenant'] !== tenant)
      this.#add(`${id} went to ${String(tenant)}, and is listed with ${shown(listed)}`);
  }

  /** A callback is enqueued with the tenant of its batch, and a job follows its batch only to a tenant that this has or had. */
  see({ entry: { id }, by, from, before, after }: Step): void {
    const batch = after?.['batch'] ?? after?.['callbackOf'];
    const owned = typeof batch === 'string' ? this.#batches.get(batch) : undefined;
    if (owned?.head === undefined || after === undefined || after['reason'] === 'unreadable') return;
    const tenant = after['tenant'];
    if (from === 'none' && after['callbackOf'] !== undefined && tenant !== owned.head['tenant'])
      this.#add(`${by.name} enqueued callback ${id} for ${shown(after)}, its batch belongs to ${shown(owned.head)}`);
    if (before !== undefined && before['tenant'] !== tenant && !owned.tenants.has(tenant))
      this.#add(`${by.name} moved ${id} to ${shown(after)}, where its batch never was`);
  }

  #ownedBy(id: string): Owned {
    const known = this.#batches.get(id) ?? { tenants: new Set(), callbacks: new Map() };
    this.#batches.set(id, known);
    return known;
  }

  #add(what: string): void {
    this.#violations.add('batch-tenant', what);
  }
}

const shown = (row: Row | undefined): string => String(row?.['tenant'] ?? 'nobody');
