import { isQueueOwner } from '../../../../shared/job/lock-owner.ts';
import { MAX_CLOCK_SKEW_MS } from '../../../../shared/job/lease.ts';
import type { LeasedJob } from '../../../../shared/job/job.ts';
import type { BacklogFullError } from '../../../../shared/features/backlogs/model/backlog-full-error.ts';
import type { Row } from '../../../../shared/ports/tables.ts';
import { decodeLeasedJob } from '../../../../shared/store/job-codec.ts';
import type { Change, Mutation } from '../world/observed-store.ts';
import type { Violations } from './violations.ts';

/** A row of a ready job as it was from `since` on, until it was changed or left. */
interface Ready {
  readonly type: string;
  readonly lockExpiresAt: number;
  readonly since: number;
}

/** A measurement has each job that was ready throughout its pass, and none that was not ready then; and only measurements refuse jobs. */
export class BacklogInvariants {
  /** Calls that were refused. */
  refusals = 0;
  readonly #violations: Violations;
  readonly #ready = new Map<string, Ready>();
  /** Jobs that are not ready any more: their type, and until when they were. */
  readonly #left: { readonly type: string; readonly id: string; readonly until: number }[] = [];
  readonly #measured = new Set<string>();

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  see({ at, changes }: Mutation): void {
    for (const change of changes) {
      if (change.table === 'jobs') this.#seeJob(String(change.key['id']), change, at);
      if (change.table === 'control' && change.key['pk'] === 'backlog') this.#seeMeasurement(String(change.key['sk']), change, at);
    }
  }

  refused({ type, maxBacklog, measured, measuredAt, enqueuedSince }: BacklogFullError): void {
    this.refusals++;
    if (!this.#measured.has(`${type}/${measuredAt.toISOString()}/${measured}`))
      this.#add(`${type} was refused by a measurement that nobody wrote: ${measured} at ${measuredAt.toISOString()}`);
    // No call has more than five jobs.
    if (measured + enqueuedSince + 5 <= maxBacklog)
      this.#add(`${type} was refused although there was room: ${measured} and ${enqueuedSince} of ${maxBacklog}`);
  }

  #seeJob(id: string, { after }: Change, at: number): void {
    const was = this.#ready.get(id);
    const job = readyJob(after);
    // An operator may give it another type.
    if (was !== undefined && job?.type !== was.type) this.#left.push({ type: was.type, id, until: at });
    if (job === undefined) this.#ready.delete(id);
    else this.#ready.set(id, { type: job.type, lockExpiresAt: job.lockExpiresAt, since: at });
  }

  #seeMeasurement(type: string, { before, after }: Change, at: number): void {
    const from = Date.parse(String(after?.['measuredFrom']));
    const count = Number(after?.['ready']);
    if (after === undefined || Number.isNaN(from)) return;
    if (before?.['measuredFrom'] === after['measuredFrom'] && before?.['ready'] === count) return;
    this.#measured.add(`${type}/${String(after['measuredFrom'])}/${count}`);
    const ready = [...this.#ready].filter(([, one]) => one.type === type);
    // A row whose lease has run out needs a write of the sweeper, which may fail.
    const certain = ready.filter(([, one]) => one.since < from - MAX_CLOCK_SKEW_MS && one.lockExpiresAt > at + MAX_CLOCK_SKEW_MS);
    const left = this.#left.filter((one) => one.type === type && one.until >= from - MAX_CLOCK_SKEW_MS);
    const possible = new Set([...ready.map(([id]) => id), ...left.map(({ id }) => id)]);
    if (count < certain.length) this.#add(`${type}: ${count} were counted, and ${certain.length} were ready all the time`);
    if (count > possible.size) this.#add(`${type}: ${count} were counted, and ${possible.size} were ready at any time of the pass`);
  }

  #add(what: string): void {
    this.#violations.add('backlog-true', what);
  }
}

/** Undefined for a row that is not ready, or cannot be read. */
function readyJob(row: Row | undefined): LeasedJob | undefined {
  if (row === undefined) return undefined;
  try {
    const job = decodeLeasedJob(row);
    return isQueueOwner(job.lockOwner) ? job : undefined;
  } catch {
    return undefined;
  }
}
