import { isDeepStrictEqual } from 'node:util';
import type { EraseScope } from '../../../../operate/erase/erasure.ts';
import type { Row, TableName } from '../../../../shared/ports/tables.ts';
import { worldHas } from '../world/some-worlds.ts';
import type { Change, Mutation, ObservedStore } from '../world/observed-store.ts';
import type { Violations } from './violations.ts';

/** Longer than an index, or a read that is not consistent, is behind its table. */
const KNOWN_AFTER_MS = 120_000;
const RESULT = 'result#';

/** What is kept of a job, and when it was written. */
interface Kept {
  readonly row: Row;
  readonly at: number;
}

/** The stored state of an erasure. */
interface State {
  readonly id: string;
  readonly scope: EraseScope;
  readonly status: string;
  readonly failed: number;
}

/**
 * What was there when an erasure began is nowhere when it says that it is done, unless it changed meanwhile; nothing of another scope is removed,
 * and nothing without the id of its job in the proof.
 */
export class EraseInvariants {
  readonly #violations: Violations;
  readonly #store: ObservedStore;
  readonly #kept = new Map<string, Kept>();
  /** What each erasure found when it began. */
  readonly #found = new Map<string, ReadonlyMap<string, Kept>>();
  readonly #watches: boolean;

  constructor(violations: Violations, store: ObservedStore, seed: number) {
    this.#violations = violations;
    this.#store = store;
    this.#watches = worldHas('eraser', seed);
  }

  see({ by, at, call, changes }: Mutation): void {
    if (!this.#watches) return;
    const head = changes.find(({ table, key }) => table === 'control' && key['pk'] === 'erasure');
    const removed = changes.filter((change) => change.after === undefined && isKept(change.table, change.before));
    const erases = call?.name === 'erase' || call?.name === 'resumeErasure';
    if (erases && head === undefined && removed.length > 0)
      this.#violations.add('erased-only', `${by.name} erased ${removed.map(nameOf).join(', ')} without proof`);
    if (head?.after !== undefined) {
      const state = JSON.parse(String(head.after['state'])) as State;
      this.#seeStep(state, removed, changes);
      if (head.before === undefined) this.#found.set(state.id, this.#of(state.scope, at));
      if (state.status === 'done') this.#seeDone(state);
    }
    for (const change of changes) {
      const { table, after } = change;
      if (after !== undefined && isKept(table, after)) this.#kept.set(nameOf(change), { row: after, at });
      else if (isKept(table, change.before)) this.#kept.delete(nameOf(change));
    }
  }

  #seeStep({ id, scope }: State, removed: readonly Change[], changes: readonly Change[]): void {
    const proof = changes.find(({ key }) => key['pk'] === `erasure#${id}`)?.after?.['ids'];
    const proven = new Set(String(proof ?? '').split(' '));
    for (const change of removed) {
      const row = change.before ?? {};
      if (!isOf(scope, row)) this.#violations.add('erased-only', `${nameOf(change)} is not of ${JSON.stringify(scope)}, and was erased`);
      if (!proven.has(jobOf(row))) this.#violations.add('erased-only', `${nameOf(change)} was erased, and the proof does not name its job`);
    }
  }

  #seeDone({ id, scope, failed }: State): void {
    const found = this.#found.get(id);
    this.#found.delete(id);
    // What the store did not let it erase is counted.
    if (found === undefined || failed > 0) return;
    for (const [name, { row }] of found) {
      if (this.#isThere(row) && isDeepStrictEqual(this.#kept.get(name)?.row, row))
        this.#violations.add('erased-gone', `${name} is there after the erasure of ${JSON.stringify(scope)}`);
    }
  }

  /** What has lain there for so long that every read shows it. */
  #of(scope: EraseScope, now: number): ReadonlyMap<string, Kept> {
    return new Map([...this.#kept].filter(([, { row, at }]) => now - at > KNOWN_AFTER_MS && isOf(scope, row) && this.#isThere(row)));
  }

  /** Rows whose time to live is over disappear unseen. */
  #isThere(row: Row): boolean {
    const { expiresAt } = row;
    return typeof expiresAt !== 'number' || this.#store.now < expiresAt * 1_000;
  }
}

function isKept(table: TableName, row: Row | undefined): boolean {
  return table === 'deadLetters' || table === 'history' || (table === 'control' && String(row?.['pk']).startsWith(RESULT));
}

const nameOf = ({ table, key }: Change): string => `${table} ${Object.values(key).join('/')}`;

/** The job that a row tells about. */
function jobOf(row: Row): string {
  if (String(row['pk']).startsWith(RESULT)) return String(row['pk']).slice(RESULT.length);
  return String(row['jobId'] ?? row['id']);
}

function isOf({ id, type, tenant }: EraseScope, row: Row): boolean {
  return (
    (id === undefined || jobOf(row) === id) &&
    (type === undefined || row['type'] === type) &&
    (tenant === undefined || row['tenant'] === tenant)
  );
}
