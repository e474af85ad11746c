import { BATCH_CALLBACKS, hasEnded } from '../../../../shared/features/batches/model/batch-progress.ts';
import type { Row, TableName } from '../../../../shared/ports/tables.ts';
import { countsOf, decodeBatchHead } from '../../../../shared/features/batches/store/batch-rows.ts';
import type { Change, Mutation, ObservedStore } from '../world/observed-store.ts';
import type { Step } from './job-tracker.ts';
import type { Violations } from './violations.ts';

/** How many children there are and how many ended: as dead letters, or well or cancelled. */
interface Tally {
  total: number;
  failed: number;
  done: number;
}

const PLACES: ReadonlySet<TableName> = new Set(['jobs', 'timers', 'deadLetters', 'suspended']);
/** The batch in whose partitions a row of Control lies. */
export const batchOf = (pk: unknown): string | undefined => /^batch\d*#(?<id>.*)$/s.exec(String(pk))?.groups?.['id'];

/** Counts the children of batches by watching where jobs lie, and holds the batches' own counters and callbacks against it. */
export class BatchInvariants {
  readonly #violations: Violations;
  readonly #seen = new Map<string, Tally>();
  readonly #counted = new Map<string, Tally>();
  readonly #callbacks = new Map<string, Set<string>>();
  /** Batches of which a child was a dead letter at some moment. */
  readonly #everFailed = new Set<string>();

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  /** After every write: a child and the counter that counts it change together or not at all. */
  seeRows({ changes, by }: Mutation): void {
    const touched = new Set<string>();
    const byId = new Map<string, Change[]>();
    for (const change of changes) {
      const row = change.after ?? change.before;
      const batch = batchOf(row?.['pk']);
      if (change.table === 'control' && batch !== undefined) this.#seeControl(batch, change, touched);
      const id = row?.['id'];
      if (PLACES.has(change.table) && typeof id === 'string') byId.set(id, [...(byId.get(id) ?? []), change]);
    }
    const jobs = [...byId.values()];
    // Only a child adds to a batch that was told to be complete, in the executor that runs it.
    const batches = by.role === 'executor' ? jobs.flatMap((some) => batchOfJob(some) ?? []) : [];
    const alive = new Set(batches.filter((batch) => hasOpenChild(tallyOf(this.#seen, batch))));
    for (const some of jobs) this.#seeJob(some, { touched, alive });
    for (const batch of touched) this.#compare(batch, by.name);
  }

  /** Each callback is enqueued once, and what depends on all children not before they ended. */
  see({ entry, from, after }: Step): void {
    const batch = after?.['callbackOf'];
    if (from !== 'none' || typeof batch !== 'string') return;
    const what = String((JSON.parse(String(after?.['payload'])) as { tells?: string }).tells);
    const told = this.#callbacks.get(batch) ?? new Set();
    this.#callbacks.set(batch, told);
    if (told.has(what)) this.#violations.add('callback-once', `${batch}: ${what} was enqueued again as ${entry.id}`);
    told.add(what);
    const { total, failed, done } = tallyOf(this.#seen, batch);
    if (what !== 'failed' && failed + done !== total) {
      this.#violations.add(
        'callback-once',
        `${batch}: ${what} was enqueued while ${total - failed - done} of ${total} children had not ended`,
      );
    }
    // Whoever saw the death may tell it late, when an operator has redriven that child: `failed` says that it was so at some moment.
    if (what === 'failed' && !this.#everFailed.has(batch))
      this.#violations.add('callback-once', `${batch}: failed was enqueued though no child was ever dead`);
  }

  /** In the end everything is told of each batch that was sealed. */
  checkEnd(store: ObservedStore): void {
    for (const { head, ended } of sealedBatches(store)) {
      if (!ended) this.#violations.add('callback-once', `${head.id}: its children have not ended in the end`);
      if (!head.fired.includes('completed')) this.#violations.add('callback-once', `${head.id}: nobody told that it is complete`);
      for (const name of head.callbacks.filter((one) => head.fired.includes(one))) {
        if (!tallyNames(this.#callbacks, head.id).has(name))
          this.#violations.add('callback-once', `${head.id}: ${name} was told, but its job never was`);
      }
    }
  }

  #seeControl(batch: string, { before, after }: Change, touched: Set<string>): void {
    if (after?.['sk'] === 'head' && typeof after['parent'] === 'string') this.#seeNested(after['parent'], before, after, touched);
    if (String((after ?? before)?.['sk']).startsWith('call#')) return;
    const tally = tallyOf(this.#counted, batch);
    for (const [row, sign] of [
      [before, -1],
      [after, 1],
    ] as const) {
      const { total = 0, succeeded = 0, failed = 0, cancelled = 0 } = countsOf(row ?? {});
      tally.total += sign * total;
      tally.failed += sign * failed;
      tally.done += sign * (succeeded + cancelled);
    }
    touched.add(batch);
  }

  /** A batch within a batch is one of its children; it ends when its parent is told. */
  #seeNested(parent: string, before: Row | undefined, after: Row, touched: Set<string>): void {
    const tally = tallyOf(this.#seen, parent);
    if (before === undefined) tally.total++;
    for (const [told, sign] of [
      [before?.['told'], -1],
      [after['told'], 1],
    ] as const) {
      if (told === 'failed') tally.failed += sign;
      else if (told !== undefined) tally.done += sign;
    }
    touched.add(parent);
  }

  /** `alive`: batches of which a child may add others: before this write one had not ended, because it was redriven. */
  #seeJob(changes: readonly Change[], { touched, alive }: { readonly touched: Set<string>; readonly alive: ReadonlySet<string> }): void {
    const was = changes.find(({ before }) => before !== undefined);
    const is = changes.find(({ after }) => after !== undefined);
    const batch = batchOfJob(changes);
    if (batch === undefined) return;
    const tally = tallyOf(this.#seen, batch);
    if (was === undefined) {
      tally.total++;
      if (this.#callbacks.get(batch)?.has('completed') && !alive.has(batch))
        this.#violations.add('callback-once', `${batch} got a child after it was told to be complete`);
    }
    const [wasDead, isDead] = [was?.table === 'deadLetters', is?.table === 'deadLetters'];
    // A dead letter that an operator deletes stays a failed child.
    if (is === undefined && !wasDead) tally.done++;
    if (isDead && !wasDead) tally.failed++;
    if (wasDead && !isDead && is !== undefined) tally.failed--;
    touched.add(batch);
  }

  #compare(batch: string, by: string): void {
    const [seen, counted] = [tallyOf(this.#seen, batch), tallyOf(this.#counted, batch)];
    if (seen.failed > 0) this.#everFailed.add(batch);
    if (seen.total === counted.total && seen.failed === counted.failed && seen.done === counted.done) return;
    this.#violations.add('batch-count', `${batch} counts ${JSON.stringify(counted)}, there are ${JSON.stringify(seen)}, after ${by}`);
    Object.assign(counted, seen);
  }
}

/** Whether nobody has told yet that a batch is complete whose children have all ended. */
export function isUntold(store: ObservedStore): boolean {
  return sealedBatches(store).some(({ head, ended }) => ended && !head.fired.includes('completed'));
}

function sealedBatches({
  tables,
}: ObservedStore): readonly { readonly head: ReturnType<typeof decodeBatchHead>; readonly ended: boolean }[] {
  const rows = tables.rows('control').filter(({ pk }) => batchOf(pk) !== undefined);
  const heads = rows.filter(({ sk, state }) => sk === 'head' && state === 'sealed').map(decodeBatchHead);
  return heads.map((head) => {
    const counts = { total: 0, succeeded: 0, failed: 0, cancelled: 0 };
    for (const row of rows.filter(({ pk }) => batchOf(pk) === head.id)) {
      for (const [name, count] of Object.entries(countsOf(row))) counts[name as keyof typeof counts] += count;
    }
    return { head: { ...head, fired: BATCH_CALLBACKS.filter((name) => head.fired.includes(name)) }, ended: hasEnded(counts) };
  });
}

function batchOfJob(changes: readonly Change[]): string | undefined {
  const was = changes.find(({ before }) => before !== undefined)?.before;
  const is = changes.find(({ after }) => after !== undefined)?.after;
  const batch = was?.['batch'] ?? is?.['batch'];
  return typeof batch === 'string' ? batch : undefined;
}

const hasOpenChild = ({ total, failed, done }: Tally): boolean => failed + done < total;

function tallyOf(tallies: Map<string, Tally>, batch: string): Tally {
  const known = tallies.get(batch) ?? { total: 0, failed: 0, done: 0 };
  tallies.set(batch, known);
  return known;
}

const tallyNames = (callbacks: ReadonlyMap<string, ReadonlySet<string>>, batch: string): ReadonlySet<string> =>
  callbacks.get(batch) ?? new Set();
