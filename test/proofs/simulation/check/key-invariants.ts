import { uniqueKeyHash } from '../../../../shared/job/unique-key.ts';
import type { Row } from '../../../../shared/ports/tables.ts';
import type { Mutation } from '../world/observed-store.ts';
import type { JobTracker, JobEntry, Step } from './job-tracker.ts';
import type { Violations } from './violations.ts';

/** Checks that two jobs that live never hold the same unique key, and that each holds its own: from its first write to its last. */
export class KeyInvariants {
  readonly #violations: Violations;
  readonly #tracker: JobTracker;
  readonly #holders = new Map<string, Set<JobEntry>>();
  /** Whose each key is, as the rows of Control say. */
  readonly #owners = new Map<string, string>();
  #ended: { readonly id: string; readonly pk: string }[] = [];
  #begun: { readonly id: string; readonly pk: string }[] = [];

  constructor(violations: Violations, tracker: JobTracker) {
    this.#violations = violations;
    this.#tracker = tracker;
  }

  see(step: Step): void {
    const { entry, from, to, before, after } = step;
    const row = after ?? before ?? {};
    const key = row['key'];
    if (typeof key !== 'string' || row['keyExpiresAt'] !== undefined || row['reason'] === 'unreadable') return;
    const both = { id: entry.id, pk: keyOf(row, key) };
    const old = before === undefined || from === 'none' || from === 'dead' ? both : { id: entry.id, pk: keyOf(before, key) };
    const moved = old.pk !== both.pk;
    if (to === 'finished' || to === 'dead') this.#ended.push(both);
    if (moved) this.#ended.push(old);
    if (moved) this.#holders.get(old.pk)?.delete(entry);
    if (to === 'dead' || to === 'finished' || (from !== 'none' && from !== 'dead' && !moved)) return;
    this.#begun.push(both);
    const holders = this.#holders.get(both.pk) ?? new Set();
    this.#holders.set(both.pk, holders.add(entry));
  }

  /** After the tracker has seen the mutation: its key rows must fit what it did to jobs. */
  seeRows({ by, changes }: Mutation): void {
    for (const { table, key, before, after } of changes) {
      const pk = key['pk'];
      if (table !== 'control' || pk?.startsWith('key#') !== true) continue;
      if (after === undefined) this.#owners.delete(pk);
      else this.#owners.set(pk, String(after['jobId']));
      const freed = String(before?.['jobId']);
      const entry = this.#tracker.jobs.get(freed);
      this.#passedOn(pk, entry, after);
      // The key of a job that went to another tenant is another one.
      const isItsOwn = entry !== undefined && keyOf(entry.row, String(entry.row['key'])) === pk;
      if (after === undefined && isItsOwn && isLiving(entry.state))
        this.#violations.add('key-held', `${by.name} freed the key of ${freed}, which lives`);
    }
    for (const { id, pk } of this.#begun.splice(0)) {
      const living = [...(this.#holders.get(pk) ?? [])].filter(({ state }) => isLiving(state));
      if (living.length > 1) this.#violations.add('key-unique', `${living.map((one) => one.id).join(' and ')} live with ${pk}`);
      if (this.#owners.get(pk) !== id) this.#violations.add('key-held', `${id} lives, but its key is held by ${this.#owners.get(pk)}`);
    }
    for (const { id, pk } of this.#ended.splice(0)) {
      if (this.#owners.get(pk) === id) this.#violations.add('key-held', `${id} ended and keeps its key`);
    }
  }

  /** A key goes from one job to another only while the first one runs, unless that one has ended or the key was for a time. */
  #passedOn(pk: string, from: JobEntry | undefined, after: Row | undefined): void {
    if (from === undefined || after === undefined || after['jobId'] === from.id || !this.#holders.get(pk)?.has(from)) return;
    if (isLiving(from.state) && from.state !== 'running') {
      this.#violations.add('key-held', `the key of ${from.id}, which is ${from.state}, went to ${String(after['jobId'])}`);
    }
    this.#holders.get(pk)?.delete(from);
  }
}

const isLiving = (state: JobEntry['state'] | undefined): boolean => state !== undefined && !['none', 'finished', 'dead'].includes(state);

function keyOf(row: Row, key: string): string {
  const tenant = row['tenant'];
  return `key#${uniqueKeyHash(String(row['type']), typeof tenant === 'string' ? tenant : undefined, key)}`;
}
