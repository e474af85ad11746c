import type { Job } from '../job/job.ts';
import type { Tables, Write } from '../ports/tables.ts';
import { cancelRequestOf, type CancelTerms, idleCancelWrites } from './cancel.ts';
import type { CancelWhy } from './cancel-why.ts';
import { releaseKey, uniqueKeyKey } from './control-rows.ts';
import { locateLiving } from './locate.ts';
import type { PlannedWrites } from './transact-ending.ts';
import { keyToCancel } from '../job/unique-key.ts';

/** A job that a completion cancels: the hash of its unique key, and why. */
export interface CancelTarget extends CancelWhy {
  readonly key: string;
}

/** A job that was cancelled with a completion, or asked to stop, because it runs. */
export interface CancelledWith {
  readonly job: Job;
  readonly outcome: 'cancelled' | 'cancel-requested';
}

interface Plan {
  readonly writes: readonly Write[];
  readonly done?: CancelledWith;
}

const NOTHING: Plan = { writes: [] };

/**
 * What a completion writes about the jobs that it cancels, as they were found last. All tries to record one completion share it: a try whose
 * reply was lost is only recognised by the very same writes.
 */
export class Cancellations implements PlannedWrites {
  readonly #tables: Tables;
  readonly #own: string | undefined;
  readonly #targets: readonly CancelTarget[];
  readonly #terms: CancelTerms;
  #plans: readonly Plan[] = [];
  /** How often they were planned: another plan is another transaction. */
  looks = 0;

  constructor(tables: Tables, self: Job, targets: readonly CancelTarget[], terms: CancelTerms) {
    this.#tables = tables;
    this.#own = keyToCancel(self);
    this.#targets = targets;
    this.#terms = terms;
  }

  /** The writes of each job, which go together. */
  get writes(): readonly (readonly Write[])[] {
    return this.#plans.map(({ writes }) => writes);
  }

  /** What the transaction does when it is applied. */
  get done(): readonly CancelledWith[] {
    return this.#plans.flatMap(({ done }) => done ?? []);
  }

  /** Looks at the jobs: all of them, or those whose writes were refused. A key and a job are read for each, in up to seven reads. */
  async plan(refused?: readonly number[]): Promise<void> {
    const planned = await Promise.all(
      this.#targets.map(async (target, index) =>
        refused === undefined || refused.includes(index) ? this.#planOne(target) : (this.#plans[index] ?? NOTHING),
      ),
    );
    this.#plans = planned;
    this.looks++;
  }

  /** A job that has ended is left, and so are one whose row cannot be read and the job that completes. */
  async #planOne({ key, ...why }: CancelTarget): Promise<Plan> {
    if (key === this.#own) return NOTHING;
    const holder = (await this.#tables.get('control', uniqueKeyKey(key)))?.['jobId'];
    const found = await locateLiving(this.#tables, holder);
    if (found === undefined || found === 'unreadable') return NOTHING;
    const { job } = found;
    if (found.state === 'running') {
      const asked = found.job.cancelRequested === true;
      return { writes: asked ? [] : [cancelRequestOf(found.job, why)], done: { job, outcome: 'cancel-requested' } };
    }
    const { fences, writes } = await idleCancelWrites(this.#tables, found, { ...this.#terms, ...why });
    return { writes: [...fences, ...writes, releaseKey(key, job.id)], done: { job, outcome: 'cancelled' } };
  }
}
