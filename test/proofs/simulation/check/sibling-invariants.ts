import { uniqueKeyHash } from '../../../../shared/job/unique-key.ts';
import type { Mutation } from '../world/observed-store.ts';
import { JOB_TYPES, type WorkItem } from '../workload/work-item-jobs.ts';
import type { JobEntry, JobTracker } from './job-tracker.ts';
import type { Violations } from './violations.ts';

/** Checks that a completion that cancels another job leaves it no chance: it has ended with it, or runs and was asked to stop. */
export class SiblingInvariants {
  readonly #violations: Violations;
  readonly #tracker: JobTracker;
  /** Whose each key is, as the rows of Control say. */
  readonly #owners = new Map<string, string>();

  constructor(violations: Violations, tracker: JobTracker) {
    this.#violations = violations;
    this.#tracker = tracker;
  }

  /** After the tracker has seen the mutation. */
  see({ changes }: Mutation): void {
    for (const { table, key, after } of changes) {
      const pk = key['pk'];
      if (table !== 'control' || pk?.startsWith('key#') !== true) continue;
      if (after === undefined) this.#owners.delete(pk);
      else this.#owners.set(pk, String(after['jobId']));
    }
    for (const { table, before, after } of changes) {
      const entry = table === 'jobs' && after === undefined ? this.#tracker.jobs.get(String(before?.['id'])) : undefined;
      if (entry?.state === 'finished' && entry.outcome === 'completed') this.#check(entry);
    }
  }

  #check({ id, row }: JobEntry): void {
    const { cancels } = JSON.parse(String(row['payload'])) as Partial<WorkItem>;
    if (cancels === undefined) return;
    const tenant = typeof row['tenant'] === 'string' ? row['tenant'] : undefined;
    const other = this.#tracker.jobs.get(this.#owners.get(`key#${uniqueKeyHash(JOB_TYPES.usual.name, tenant, cancels)}`) ?? '');
    // A row that nobody can read is left.
    if (other === undefined || other.id === id || other.spoiled === true || ['finished', 'dead', 'none'].includes(other.state)) return;
    if (other.state === 'running' && other.row['cancelRequested'] === true) return;
    this.#violations.add('siblings-cancelled', `${id} completed and cancels ${other.id}, which is ${other.state} and was not cancelled`);
  }
}
