import { storedInstant } from '../../../../shared/job/instant.ts';
import type { AppliedLimit } from '../../../../shared/job/limit.ts';
import { MAX_CLOCK_SKEW_MS } from '../../../../shared/job/lease.ts';
import { freeSlots, slotOwner } from '../../../../shared/features/limits/model/slots.ts';
import { inForce, type RuleRows } from '../../../../shared/features/limits/model/operator-limit.ts';
import type { Row } from '../../../../shared/ports/tables.ts';
import { PARKED_LISTING } from '../../../../shared/store/parked-rows.ts';
import { decodeSlot } from '../../../../shared/features/limits/store/slot-rows.ts';
import { groupOfWaiting } from '../../../../shared/store/group-places.ts';
import { isParked, PARKED } from '../../../../shared/store/rows.ts';
import type { Change, Mutation, ObservedStore } from '../world/observed-store.ts';
import type { SimProcess } from '../world/sim-process.ts';
import { CODED_NUMBERS } from '../workload/work-item-jobs.ts';
import { LimitNumbers, OVERLAP_MS } from './limit-numbers.ts';
import { isOvertaken } from './run-invariants.ts';
import type { Violations } from './violations.ts';

interface LimitedRun {
  readonly id: string;
  readonly by: SimProcess;
  /** In true time. */
  readonly since: number;
}

/** A run under one limit, with the greatest number that its process may have gone by when it took its slot. */
interface HeldRun extends LimitedRun {
  readonly run: LimitedRun;
  readonly most: number;
}

const without = (list: readonly number[], one: number | undefined): readonly number[] => {
  const at = one === undefined ? -1 : list.indexOf(one);
  return at === -1 ? list : list.toSpliced(at, 1);
};

/** How long a job may stay parked although there is room, once nothing goes wrong any more: two ticks and what they take. */
const PATIENCE_MS = 3 * 60_000;

/** For so long before a start its process may have gone by a number, whatever went wrong for it. */
const LONG_AGO_MS = 5 * 60_000 + OVERLAP_MS;

/** Watches limits from both sides: what handlers run at once, and what slots say of them. */
export class LimitInvariants {
  readonly #violations: Violations;
  readonly #now: () => number;
  readonly #open = new Map<string, Set<HeldRun>>();
  readonly #numbers = new LimitNumbers();
  /** For those that hold a slot: the greatest number by which they may have it, by partition and owner. */
  readonly #most = new Map<string, number>();
  /** Rows of slots, by the partition and the sort key. */
  readonly #slots = new Map<string, Map<string, { readonly row: Row; readonly by: SimProcess }>>();
  /** Starts that were taken under a rate, and how many of them no handler has used yet. */
  readonly #started = new Map<string, number[]>();
  readonly #unused = new Map<SimProcess, Map<string, number>>();
  readonly #roomSince = new Map<string, number>();

  constructor(violations: Violations, now: () => number) {
    this.#violations = violations;
    this.#now = now;
  }

  see(mutation: Mutation): void {
    this.#numbers.see(mutation);
    const { by, changes } = mutation;
    for (const change of changes) {
      const { pk, sk } = change.key;
      if (change.table === 'control' && pk?.startsWith('limit#') === true && sk !== undefined) this.#seeSlot(pk, sk, change, by);
    }
  }

  #seeSlot(pk: string, sk: string, { before, after }: Change, by: SimProcess): void {
    const slots = this.#slots.get(pk) ?? new Map<string, { readonly row: Row; readonly by: SimProcess }>();
    this.#slots.set(pk, slots);
    const was = slots.get(sk);
    if (after === undefined) slots.delete(sk);
    else slots.set(sk, { row: after, by });
    if (before?.['lockOwner'] !== after?.['lockOwner']) this.#most.delete(`${pk}/${String(before?.['lockOwner'])}`);
    const at = storedInstant(after?.['startedAt']);
    if (at === undefined || after?.['startedAt'] === before?.['startedAt']) return;
    // A start whose write took long is moved to when its reply came. Another claim of the same job is another start.
    const same = before?.['claim'] !== undefined && before['claim'] === after?.['claim'] && was?.by === by;
    const moved = same ? storedInstant(before['startedAt']) : undefined;
    const started = this.#started.get(pk) ?? [];
    this.#started.set(pk, [...without(started, moved), at]);
    if (moved !== undefined) return;
    const unused = this.#unused.get(by) ?? new Map<string, number>();
    this.#unused.set(by, unused.set(pk, (unused.get(pk) ?? 0) + 1));
  }

  /** A handler starts under these limits; call what comes back when it ends. A run also ends with its process. */
  start(by: SimProcess, id: string, limits: readonly AppliedLimit[]): () => void {
    const run: LimitedRun = { id, by, since: this.#now() };
    const leave = (): void => {
      for (const { hash } of limits) for (const one of this.#open.get(hash) ?? []) if (one.run === run) this.#open.get(hash)?.delete(one);
    };
    for (const limit of limits) {
      if (limit.perMs === undefined) this.#checkRoom(limit, run);
      else this.#checkRate({ ...limit, perMs: limit.perMs }, run);
    }
    // A dead process leaves at once: code runs on in it until it waits for something.
    by.onDeath(leave);
    return leave;
  }

  /** Those that may have gone by a number have slots below it: there are no more of them. */
  #checkRoom({ hash, name, n }: AppliedLimit, run: LimitedRun): void {
    const place = `limit#${hash}/${slotOwner(run.id)}`;
    // A job that was claimed again while it held its slot keeps it.
    const most = Math.max(this.#numbers.knownTo(run.by, { name, n }, run.since), this.#most.get(place) ?? 0);
    this.#most.set(place, most);
    const open = this.#open.get(hash) ?? new Set<HeldRun>();
    this.#open.set(hash, open.add({ ...run, run, most }));
    const held = [...open].filter((one) => !isOvertaken(one, this.#now()));
    for (const number of new Set(held.map((one) => one.most))) {
      const those = held.filter((one) => one.most <= number);
      if (those.length <= number) continue;
      const ids = those.map(({ id, by }) => `${id} in ${by.name}`);
      this.#violations.add('limit-concurrency', `${those.length} run under ${name}, which allows ${number}: ${ids.join(', ')}`);
    }
    const slots = [...(this.#slots.get(`limit#${hash}`)?.values() ?? [])].map(({ row }) => decodeSlot(row));
    if (!slots.some(({ owner, until }) => owner === slotOwner(run.id) && until > this.#now() - MAX_CLOCK_SKEW_MS))
      this.#violations.add('limit-concurrency', `${run.id} runs in ${run.by.name} without a slot of ${name}`);
  }

  #checkRate({ hash, name, n, perMs }: AppliedLimit & { readonly perMs: number }, { id, by }: LimitedRun): void {
    const pk = `limit#${hash}`;
    const unused = this.#unused.get(by)?.get(pk) ?? 0;
    if (unused === 0) this.#violations.add('limit-rate', `${id} starts in ${by.name} without a start of ${name}`);
    else this.#unused.get(by)?.set(pk, unused - 1);
    const started = this.#started.get(pk) ?? [];
    for (const from of started) {
      const count = started.filter((at) => at >= from && at < from + perMs).length;
      const allowed = this.#numbers.greatest(name, n, from - LONG_AGO_MS);
      if (count > allowed)
        this.#violations.add('limit-rate', `${count} starts of ${name} from ${new Date(from).toISOString()} on, which allows ${allowed}`);
    }
    // Looked at once: a start that broke the rule is told once.
    this.#started.set(
      pk,
      started.filter((at) => at > this.#now() - perMs - 2 * MAX_CLOCK_SKEW_MS),
    );
  }

  /** What a process holds when its invocation has ended well: nothing. */
  stillHeldBy(by: SimProcess): readonly string[] {
    return [...this.#slots].flatMap(([pk, slots]) =>
      [...slots.values()]
        .filter(({ row, by: taker }) => taker === by && row['claim'] !== undefined && row['startedAt'] === undefined)
        .map(({ row }) => `${pk}/${String(row['sk'])}`),
    );
  }

  /** To be asked every minute once everything works again: nobody stays parked while there is room. */
  checkReleased(store: ObservedStore): void {
    const now = this.#now();
    const parked = new Set(store.tables.rows('timers').flatMap(({ shard }) => (isUnderLimit(shard) ? [String(shard)] : [])));
    const control = store.tables.rows('control');
    const rules: RuleRows = new Map(control.flatMap((row) => (row['pk'] === 'rules' ? [[String(row['sk']), row] as const] : [])));
    const numbers = new Map<string, number>(
      control.flatMap((row) => (row['pk'] === PARKED_LISTING ? ([[`limit#${String(row['sk'])}`, numberOf(row, rules)]] as const) : [])),
    );
    for (const pk of this.#roomSince.keys()) if (!parked.has(pk)) this.#roomSince.delete(pk);
    for (const pk of parked) {
      const slots = [...(this.#slots.get(pk)?.values() ?? [])].map(({ row }) => decodeSlot(row));
      const room = freeSlots(slots, numbers.get(pk) ?? 0, now).length > 0 || !numbers.has(pk);
      if (!room) this.#roomSince.delete(pk);
      else this.#roomSince.set(pk, this.#roomSince.get(pk) ?? now);
      const since = this.#roomSince.get(pk) ?? now;
      if (now - since > PATIENCE_MS) this.#violations.add('limit-released', `${pk} has room and parked jobs for ${now - since} ms`);
    }
  }
}

/** The number that is in force, whatever the listing says of the code's. */
function numberOf({ limit, n }: Row, rules: RuleRows): number {
  const name = String(limit);
  return inForce({ name, n: CODED_NUMBERS.get(name) ?? Number(n) }, rules).n;
}

/** Whether jobs are parked there for a slot, and not for the order of their group. */
function isUnderLimit(shard: unknown): boolean {
  return isParked(shard) && groupOfWaiting(String(shard).slice(PARKED.length)) === undefined;
}
