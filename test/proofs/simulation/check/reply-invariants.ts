import type { Enqueued } from '../../../../shared/client/enqueue.ts';
import type { JournalEvent } from '../../../../shared/ports/journal.ts';
import type { Call } from '../world/named-calls.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { JobTracker, JobEntry, Step } from './job-tracker.ts';
import type { Violations } from './violations.ts';

/** What the end of a job is called in the journal. */
const ENDS: Readonly<Partial<Record<JournalEvent, JobEntry['outcome']>>> = {
  completed: 'completed',
  cancelled: 'cancelled',
  skipped: 'skipped',
  expired: 'expired',
};

/** Answers by which a verb says that it changed the job. */
const DID: Readonly<Record<string, readonly string[]>> = {
  editPayload: ['edited'],
  changeTenant: ['changed'],
  patchPayload: ['patched', 'redriven'],
  setRetries: ['set', 'redriven'],
  setPriority: ['set'],
  breakpoint: ['stopped'],
  bury: ['buried'],
  redrive: ['redriven'],
  delete: ['deleted'],
  reschedule: ['rescheduled'],
};

/** Answers by which a verb says that the job has ended. */
const HAS_ENDED: ReadonlySet<unknown> = new Set(['finished', 'not-found']);

/** Holds what somebody was told against what the store has seen: an answer that is not true is worse than none. */
export class ReplyInvariants {
  readonly #violations: Violations;
  readonly #tracker: JobTracker;
  /** Ids whose cancel was answered with `cancel-requested`. */
  readonly #asked = new Set<string>();
  /** Processes and jobs that they claimed. */
  readonly #claimed = new Set<string>();
  /** Those that they claimed more than once: one claim of a process may be lost, and the next one end the job. */
  readonly #claimedAgain = new Set<string>();

  constructor(violations: Violations, tracker: JobTracker) {
    this.#violations = violations;
    this.#tracker = tracker;
  }

  see({ entry, by, verb }: Step): void {
    if (verb !== 'claim' && verb !== 'take over') return;
    const claim = `${by.name} ${entry.id}`;
    if (this.#claimed.has(claim)) this.#claimedAgain.add(claim);
    this.#claimed.add(claim);
  }

  /** An entry of a process's journal: metrics, events and the answers to foreign workers come of these. */
  journal(by: SimProcess, event: JournalEvent, id: string): void {
    const entry = this.#tracker.jobs.get(id);
    const ended = entry?.state === 'finished' ? entry.outcome : entry?.state;
    if (event === 'enqueued' && entry === undefined) this.#add(`${by.name} journals ${id} as enqueued, and no row was ever written`);
    const end = ENDS[event];
    if (end !== undefined && end !== ended) this.#add(`${by.name} journals ${id} as ${end}, it is ${ended}`);
    // Once its lease is over, nobody can tell its own delete from another's.
    const isOver = by.clock.now() >= Date.parse(String(entry?.row['lockExpiresAt']));
    const isMine = entry?.endedBy === by && !this.#claimedAgain.has(`${by.name} ${id}`);
    if (event === 'lost-lease' && entry?.state === 'finished' && isMine && !isOver)
      this.#add(`${by.name} journals that it lost ${id}, which it has ended itself as ${ended}`);
  }

  /** A call was answered: what it says that it did is what it wrote. */
  answered(by: SimProcess, call: Call, [id, asked]: readonly unknown[], answer: unknown): void {
    // Who stood still for longer than a transaction's token lives takes his own transaction for another's.
    if (by.pauses > 0) return;
    if (call.name === 'enqueue') {
      const { id: made, duplicate } = answer as Enqueued;
      if (!duplicate && !call.steps.has(made)) this.#add(`${by.name} was told that ${made} is new, and never wrote it`);
      return;
    }
    const did = DID[call.name];
    if (did === undefined || typeof id !== 'string') return;
    const [told, wrote] = [did.includes(String(answer)), call.steps.has(id)];
    // A job that is the tenant's already, or has the fields of the patch, is left as it is.
    const idle = told && !wrote && (call.name === 'changeTenant' || call.name === 'patchPayload');
    // One write without a token: when the job has ended since, nothing tells whether it was applied before. That it ended is true.
    const endedSince = call.name === 'setRetries' && wrote && this.#tracker.jobs.get(id)?.state === 'finished' && HAS_ENDED.has(answer);
    // Nor whether it was another operator's, who asked for the same. That the job has the tries is true.
    const { failures, triesLimit } = this.#tracker.jobs.get(id)?.row ?? {};
    const setByAnother = call.name === 'setRetries' && told && Number(triesLimit) - Number(failures) === asked;
    if (told !== wrote && !idle && !endedSince && !setByAnother)
      this.#add(`${by.name} was told ${String(answer)} by ${call.name} ${id}, which ${wrote ? 'changed it' : 'changed nothing'}`);
  }

  /** A cancel was answered. */
  cancel(id: string, answer: string): void {
    const entry = this.#tracker.jobs.get(id);
    const ended = entry?.state === 'finished' ? entry.outcome : entry?.state;
    if (answer === 'cancel-requested') this.#asked.add(id);
    // Who asked it to stop takes its absence for that end, and an operator deleted the dead letter of a row that nobody can read.
    else if (answer === 'cancelled' && ended === 'deleted' && entry?.row['reason'] === 'unreadable') return;
    else if (['cancelled', 'completed', 'skipped', 'expired'].includes(answer) && ended !== answer)
      this.#violations.add('cancel-told', `${id}: told ${answer}, it is ${ended}`);
  }

  /** A burial was answered: the dead letter shows the operator's reason, and a job that lives can be found. */
  bury(id: string, answer: string, reason: string): void {
    const { state = 'none', row } = this.#tracker.jobs.get(id) ?? {};
    if (answer === 'not-found' && state !== 'none' && state !== 'finished')
      this.#violations.add('found-when-asked', `${id} is ${state}, and was not found to be buried`);
    if (answer === 'buried' && state === 'dead' && row?.['errorMessage'] !== reason && row?.['reason'] === 'buried')
      this.#add(`${id} was buried for "${reason}", its dead letter says ${String(row['errorMessage'])}`);
  }

  /** When everything had time to end: what was asked to stop has ended as cancelled, unless its row could not be read. */
  checkEnd(): void {
    for (const id of this.#asked) {
      const { outcome, row, state } = this.#tracker.jobs.get(id) ?? {};
      if (outcome !== 'cancelled' && row?.['reason'] !== 'unreadable')
        this.#violations.add('cancel-told', `${id}: told cancel-requested, it is ${outcome ?? state} in the end`);
    }
  }

  #add(what: string): void {
    this.#violations.add('told-true', what);
  }
}
