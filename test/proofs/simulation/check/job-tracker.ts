import type { JobState } from '../../../../shared/job/job.ts';
import { isQueueOwner } from '../../../../shared/job/lock-owner.ts';
import { TRANSITIONS, waysOf } from '../../../../shared/job/transitions.ts';
import { storedInstant } from '../../../../shared/job/instant.ts';
import { isJobId } from '../../../../shared/job/job-id.ts';
import { isParked } from '../../../../shared/store/rows.ts';
import type { Row, TableName } from '../../../../shared/ports/tables.ts';
import type { Change, Mutation } from '../world/observed-store.ts';
import type { SimProcess } from '../world/sim-process.ts';
import { notAsPatched } from './not-as-patched.ts';
import { agrees, saidEnd } from './said-end.ts';
import { asksToStop, endsForAnother } from './stopped-by-others.ts';
import type { Violations } from './violations.ts';

/** What is known of one job, from watching the store. */
export interface JobEntry {
  readonly id: string;
  state: JobState | 'none';
  /** The row, wherever it lies; the last one of a finished job. */
  row: Row;
  /** As it was created, or with the payload that an operator gave it. */
  first: Row;
  /** Who runs it, while it is running. */
  owner?: SimProcess;
  /** `withdrawn`: an occurrence that left Timers with its schedule, or was missed; it and one that was skipped may be planned again, or backfilled. */
  outcome?: 'completed' | 'cancelled' | 'skipped' | 'expired' | 'withdrawn' | 'deleted';
  /** Who wrote its end. */
  endedBy?: SimProcess;
  /** Somebody has written its row by hand. */
  spoiled?: true;
  /** Writes that made it ready, by verb. */
  resets: number;
}

/** A job's step from one state to another. */
export interface Step {
  readonly entry: JobEntry;
  readonly by: SimProcess;
  readonly from: JobState | 'none';
  readonly to: JobState;
  readonly before: Row | undefined;
  readonly after: Row | undefined;
  readonly verb: string;
}

const PLACES: ReadonlySet<TableName> = new Set(['jobs', 'timers', 'deadLetters', 'suspended']);

/** On whose behalf a step was written, and how the write itself says that the job ended. */
interface Asked extends Pick<Mutation, 'by' | 'call'> {
  readonly ended: unknown;
}

/** Follows every job from table to table: one place at a time, legal steps only, and never back from the end. */
export class JobTracker {
  readonly jobs = new Map<string, JobEntry>();
  /** How often each verb was seen. */
  readonly verbs = new Map<string, number>();
  /** Jobs whose end History keeps: without it a backfill cannot know them. */
  readonly #kept = new Set<string>();
  readonly #violations: Violations;
  readonly #watchers: ((step: Step) => void)[] = [];

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  watch(watcher: (step: Step) => void): void {
    this.#watchers.push(watcher);
  }

  /** Somebody wrote the row by hand, past everything that watches the store. */
  spoiled(row: Row): void {
    const entry = this.jobs.get(String(row['id']));
    if (entry === undefined) return;
    entry.row = row;
    entry.spoiled = true;
  }

  see({ by, call, changes }: Mutation): void {
    const byId = new Map<string, Change[]>();
    for (const change of changes) {
      const id = (change.after ?? change.before)?.['id'];
      if (change.table === 'history') this.#kept[change.after === undefined ? 'delete' : 'add'](String(id));
      if (PLACES.has(change.table) && typeof id === 'string') byId.set(id, [...(byId.get(id) ?? []), change]);
    }
    for (const [id, some] of byId) {
      call?.steps.add(id);
      const said = saidEnd(id, changes);
      if (!agrees(said))
        this.#violations.add('history-true', `${id}: History says ${String(said.kept)}, its batch counts it as ${said.counted}`);
      this.#step(id, some, { by, call, ended: said.kept ?? said.counted });
    }
  }

  #step(id: string, changes: readonly Change[], { by, call, ended }: Asked): void {
    if (!isJobId(id)) this.#violations.add('row-readable', 'a row has an id that is none');
    const known = this.jobs.get(id);
    const gone = changes.filter(({ after }) => after === undefined);
    const here = changes.filter(({ after }) => after !== undefined);
    const before = changes.find(({ before: row }) => row !== undefined)?.before;
    const after = here[0]?.after;
    const from = known?.state ?? 'none';
    const to = here[0] === undefined ? 'finished' : stateOf(here[0]);
    if (here.length > 1) this.#violations.add('one-place', `${id} was put into ${here.map(({ table }) => table).join(' and ')} at once`);
    if (known !== undefined && from !== 'finished' && here.length > 0 && gone.length === 0 && before === undefined) {
      this.#violations.add('one-place', `${id} was put into ${here[0]?.table} while it lies ${from}`);
    }
    const verb = namedVerb(call, from, to) ?? verbOf({ from, to, before, after, by, ended });
    const wasLeftOut = known?.outcome === 'skipped' || known?.outcome === 'withdrawn';
    const mayReturn = after?.['backfill'] === true ? wasLeftOut || !this.#kept.has(id) : wasLeftOut && verb === 'plan';
    if (from === 'finished' && !mayReturn)
      this.#violations.add('no-resurrection', `${id} came back after it was ${known?.outcome}, by ${by.name}`);
    const legal = TRANSITIONS.find((row) => row.verb === verb);
    // A handler is a client too.
    const actors = by.role === 'executor' ? [by.role, 'client' as const] : [by.role];
    const fits =
      actors.some((actor) => legal?.by.includes(actor)) &&
      legal !== undefined &&
      waysOf(legal).some(({ source, target }) => source === from && target === to);
    if (
      before?.['cancelRequested'] === true &&
      from === 'running' &&
      (to !== 'finished' || ended === 'completed') &&
      verb !== 'request cancel' &&
      verb !== 'set retries' &&
      verb !== 'report progress' &&
      verb !== 'renew' &&
      verb !== 'quarantine'
    )
      this.#violations.add('cancel-wins', `${id}: ${verb} by ${by.name} though a cancel was asked for`);
    if (!fits && from !== 'finished') this.#violations.add('legal-transition', `${id}: ${by.role} ${verb} from ${from} to ${to}`);
    this.verbs.set(verb, (this.verbs.get(verb) ?? 0) + 1);
    const row = after ?? before ?? {};
    const entry: JobEntry = known ?? { id, state: to, row, first: row, resets: 0 };
    this.jobs.set(id, entry);
    if ((verb.startsWith('edit') || verb === 'replace' || verb === 'plan' || call?.name === 'patchPayload') && after !== undefined)
      entry.first = { ...entry.first, payload: after['payload'] ?? '' };
    if (notAsPatched(call, before, after)) this.#violations.add('payload-kept', `${id}: a patch changed what it does not name`);
    this.#checkSteps(entry, before, after);
    entry.state = to;
    entry.row = row;
    if (to === 'running' && verb !== 'request cancel' && verb !== 'set retries') entry.owner = by;
    if (to !== 'running') delete entry.owner;
    if (verb === 'reset') entry.resets++;
    if (to === 'finished') entry.endedBy = by;
    if (to === 'finished') entry.outcome = outcomeOf(verb, isCancelled(ended, before) || by.role === 'client');
    for (const watcher of this.#watchers) watcher({ entry, by, from, to, before, after, verb });
  }

  #checkSteps({ id, first }: JobEntry, before: Row | undefined, after: Row | undefined): void {
    if (before === undefined || after === undefined || after['reason'] === 'unreadable') return;
    // Spoiled by hand while its producer was still putting it, and so put right.
    if (storedInstant(before['createdAt']) === undefined) return;
    if (!(Number(after['rev']) > Number(before['rev'])))
      this.#violations.add('rev-grows', `${id}: rev ${before['rev']} to ${after['rev']}`);
    if (Number(after['dispatches']) < Number(before['dispatches'])) this.#violations.add('rev-grows', `${id}: dispatches fell`);
    // An operator's number of tries holds, also when it comes while the job runs.
    if (after['reason'] === 'retries-exhausted' && Number(after['failures']) < Number(before['triesLimit'] ?? 0))
      this.#violations.add('counters-justified', `${id}: buried after ${after['failures']} of ${before['triesLimit']} tries`);
    if (after['payload'] !== first['payload']) this.#violations.add('payload-kept', `${id}: another payload`);
  }
}

function outcomeOf(verb: string, cancelled: boolean): NonNullable<JobEntry['outcome']> {
  if (verb === 'delete' || verb === 'remove') return 'deleted';
  if (verb === 'expire') return 'expired';
  if (verb === 'skip' || verb === 'withdraw') return verb === 'skip' ? 'skipped' : 'withdrawn';
  return cancelled || verb === 'cancel' ? 'cancelled' : 'completed';
}

/** Where a write does not say how the job ended, its row says whether somebody asked for a cancel. */
function isCancelled(ended: unknown, before: Row | undefined): boolean {
  return ended === undefined ? before?.['cancelRequested'] === true : ended === 'cancelled';
}

function stateOf({ table, after }: Change): JobState {
  if (table === 'timers') return isParked(after?.['shard']) ? 'parked' : 'waiting';
  if (table === 'suspended') return 'suspended';
  if (table === 'deadLetters') return 'dead';
  return isQueueOwner(String(after?.['lockOwner'])) ? 'ready' : 'running';
}

/** Verbs by the name of the call that asked for them; where one is several, the states tell which. */
const NAMED: Readonly<Record<string, (from: JobState, to: JobState) => string>> = {
  // One that was suspended with its old tenant goes.
  editPayload: (from, to) => (from === 'parked' ? 'edit and release' : from === to ? 'edit' : 'resume'),
  // One that waited for a handler of its old type goes.
  patchPayload: (from, to) => (from === 'parked' ? 'edit and release' : from === to ? 'edit' : 'redrive'),
  move: (from, to) => (from === 'parked' ? 'move and release' : from === to ? 'move' : 'resume'),
  setRetries: (from) => (from === 'dead' ? 'redrive' : 'set retries'),
  setPriority: () => 'set priority',
  setDueDate: (from) => (from === 'dead' ? 'redrive' : 'reschedule'),
  breakpoint: () => 'suspend',
  bury: () => 'bury by hand',
  resumeJob: () => 'resume',
  runNow: () => 'run now',
  redrive: () => 'redrive',
  erase: (from, to) => (from === 'dead' ? 'delete' : to === 'running' ? 'request cancel' : 'cancel'),
  delete: (from) => (from === 'dead' ? 'delete' : 'cancel'),
  reschedule: () => 'reschedule',
  enqueue: (_from, to) => (to === 'running' ? 'request cancel' : 'replace'),
  cancel: (_from, to) => (to === 'running' ? 'request cancel' : 'cancel'),
};
const SAME: Readonly<Record<string, string>> = {
  changeTenant: 'editPayload',
  overridePriority: 'setPriority',
  clearPriority: 'setPriority',
  cancelByKey: 'cancel',
  cancelWhere: 'cancel',
  enqueueMany: 'enqueue',
  cancelBatch: 'cancel',
  redriveMany: 'redrive',
  resumeErasure: 'erase',
  setRetriesMany: 'setRetries',
  setDueDateMany: 'setDueDate',
  'bulk redrive': 'redrive',
  'bulk delete': 'delete',
  'bulk cancel': 'cancel',
  'bulk set-retries': 'setRetries',
  'bulk set-due-date': 'setDueDate',
  'bulk set-priority': 'setPriority',
  'bulk run-now': 'runNow',
  'bulk suspend': 'breakpoint',
  'bulk resume': 'resumeJob',
  'bulk change-tenant': 'editPayload',
  'bulk bury': 'bury',
  'bulk move': 'move',
  'bulk patch': 'patchPayload',
};

/** The verb that a client or an operator asked for; undefined where the call says less than the step. A callback is nobody's wish. */
function namedVerb(call: Mutation['call'], from: JobState | 'none', to: JobState): string | undefined {
  if (call === undefined || from === 'none' || from === 'finished') return undefined;
  return NAMED[SAME[call.name] ?? call.name]?.(from, to);
}

/** Burials that the dead letter tells from the end of a run. A bulk action that is resumed names no verb. */
const BURIALS: ReadonlyMap<unknown, string> = new Map([
  ['unreadable', 'quarantine'],
  ['buried', 'bury by hand'],
]);

/** The verb that a step looks like; the transition table says whether it was legal. */
function verbOf({ from, to, before, after, by, ended }: Omit<Step, 'entry' | 'verb'> & { readonly ended: unknown }): string {
  const grew = (name: string): boolean => Number(after?.[name] ?? 0) > Number(before?.[name] ?? 0);
  if (from === 'none' && after?.['callbackOf'] !== undefined) return 'call back';
  if (from === 'none' || from === 'finished') return to !== 'waiting' ? 'enqueue' : by.role === 'client' ? 'schedule' : 'plan';
  if (by.role === 'admin' && from === to && before?.['triesLimit'] !== after?.['triesLimit']) return 'set retries';
  if (from === 'dead' && to === 'finished') return by.role === 'sweeper' ? 'remove' : 'delete';
  if (by.role === 'admin' && isEdit(before, after)) {
    if (from === to) return 'edit';
    if (from === 'parked') return 'edit and release';
  }
  if (to === 'dead') return BURIALS.get(after?.['reason']) ?? 'bury';
  if (to === 'suspended') return before?.['cause'] === after?.['cause'] && from === 'suspended' ? 'set priority' : 'suspend';
  if (to === 'finished') {
    if (by.role === 'client' || (by.role === 'admin' && ended === 'cancelled')) return 'cancel';
    const idle = endsForAnother(by, from, before);
    if (idle && (ended === undefined || ended === 'cancelled')) return 'cancel';
    const notStarted = from === 'waiting' || (from === 'ready' && by.role === 'admin');
    if (notStarted && before?.['schedule'] !== undefined) return 'withdraw';
    if (ended === 'skipped' || ended === 'expired') return ended === 'expired' ? 'expire' : 'skip';
    return isCancelled(ended, before) ? 'end as cancelled' : 'complete';
  }
  if (to === 'running') {
    if (from === 'ready') return 'claim';
    if (by.role === 'client' || asksToStop(by, before, after)) return 'request cancel';
    if (before?.['lockOwner'] !== after?.['lockOwner']) return 'take over';
    // Also when they are as many as before.
    if (by.role === 'admin') return 'set retries';
    return before?.['lockExpiresAt'] === after?.['lockExpiresAt'] ? 'report progress' : 'renew';
  }
  if (to === 'parked') return by.role === 'admin' ? 'set priority' : 'park';
  if (from === 'parked' && by.role !== 'client') return 'release';
  if (by.role === 'client') return 'reschedule';
  if (by.role === 'admin') return adminVerb({ from, to, before, after });
  if (by.role === 'acquirer') return 'fire';
  if (by.role === 'sweeper') return from === 'suspended' ? 'resume' : 'reset';
  if (after?.['booked'] !== before?.['booked']) return 'book';
  if (after?.['lane'] !== before?.['lane']) return 'reroute';
  if (grew('snoozes')) return 'snooze';
  if (grew('continuations')) return 'continue';
  return grew('failures') || after?.['errorAt'] !== before?.['errorAt'] ? 'retry' : 'give back';
}

/** Payload and tenant are an operator's to change, and nobody else's. */
function isEdit(before: Row | undefined, after: Row | undefined): boolean {
  return before !== undefined && after !== undefined && ['payload', 'tenant'].some((name) => before[name] !== after[name]);
}

function adminVerb({ from, to, before, after }: Pick<Step, 'from' | 'to' | 'before' | 'after'>): string {
  if (from === 'dead') return 'redrive';
  if (after?.['runNow'] === true && before?.['runNow'] !== true) return 'run now';
  // One that an operator let run before may be told so again.
  if (from === 'waiting' && to === 'ready') return after?.['runNow'] === true ? 'run now' : 'reschedule';
  // What an edit of its schedule plans anew had been fired ahead.
  if (from === 'ready' && to === 'waiting' && before?.['schedule'] !== undefined) return 'plan';
  return from === 'suspended' ? 'resume' : 'set priority';
}
