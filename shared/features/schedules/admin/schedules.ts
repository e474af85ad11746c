import { defined } from '../../../job/defined.ts';
import { jobRef } from '../../../ports/journal.ts';
import { InvalidInputError } from '../../../job/errors.ts';
import type { Instant } from '../../../job/instant.ts';
import { instantMs } from '../../../job/instant.ts';
import { makeJobId } from '../../../job/job-id.ts';
import { laneOfJob } from '../../../job/lanes.ts';
import { checkOptions, checkText } from '../../../job/names.ts';
import { encodePayload } from '../../../job/payload.ts';
import { validatePayload } from '../../../job/validate.ts';
import { checkClear, checkScheduleDefinition, checkScheduleName, EMPTY_PAYLOAD, type ScheduleDefinition } from '../model/definition.ts';
import { checkEdit, editedDefinition, type ScheduleEdit } from '../model/edit.ts';
import { checkHandWritten } from '../model/hand-written.ts';
import { parseRecurrence, preview, type PreviewedOccurrence } from '../model/recurrence.ts';
import { cameDue } from '../model/come-due.ts';
import { isNextSettled, occurrenceJob, plannedAfter, refuseDeclared, type Schedule } from '../model/schedule.ts';
import type { Row } from '../../../ports/tables.ts';
import { create } from '../../../store/create.ts';
import { UNFENCED_WRITE_WINDOW_MS } from '../../../job/lease.ts';
import { readyRow } from '../../../store/ready-row.ts';
import { listScheduleRows } from '../store/list-schedules.ts';
import { decodeSchedule } from '../store/schedule-rows.ts';
import {
  deleteSchedule,
  editSchedule,
  pauseSchedule,
  putSchedule,
  readSchedule,
  resumeSchedule,
  type ScheduleTerms,
} from '../store/schedules.ts';
import { sendHints } from '../../../store/send-hints.ts';
import type { AuditContext } from '../../../operator/act.ts';
import type { OperatorDeps } from '../../../operator/operator-deps.ts';
import { encodingCodec, readWorkers } from '../../workers/store/worker-rows.ts';
import type { BackfillOptions, BackfillReport } from './backfill.ts';
import { checkWorker } from './check-worker.ts';

/** A schedule as an operator sees it. */
export interface ScheduleView {
  readonly name: string;
  readonly type: string;
  readonly tenant?: string;
  /** `code`: declared with the deployment, which brings it back as it was declared. */
  readonly origin: 'code' | 'operator';
  readonly definition: ScheduleDefinition;
  /** Identifies the definition, for an `edit` that must not meet another one. */
  readonly hash: string;
  readonly createdAt: Date;
  /** Occurrences that became jobs and are due; `missed` were left out by the missed policy, `skipped` became jobs that did not start. */
  readonly runs: number;
  /** Occurrences that are jobs already, up to five minutes ahead of their time. */
  readonly firedAhead: number;
  readonly missed: number;
  readonly skipped: number;
  /** The last due occurrence. */
  readonly lastAt?: Date;
  /** The next occurrence, fired ahead or not; absent while paused, and if there is none any more. */
  readonly next?: { readonly id: string; readonly at: Date; readonly dueAt: Date };
  readonly paused?: { readonly at: Date; readonly reason?: string; readonly actor?: string };
}

/** A page of schedules by name. `after` continues it; absent on the last page. `unreadable` names rows that are no schedules. */
export interface SchedulePage {
  readonly schedules: readonly ScheduleView[];
  readonly unreadable: readonly string[];
  readonly after?: string;
}

/** Options of an edit. */
export interface ScheduleEditOptions extends AuditContext {
  /** `hash` of the schedule as it was shown; another definition is left as it is. */
  readonly hash?: string;
}

/** What became of an edit; only `edited` wrote. */
export type ScheduleEdited = 'edited' | 'changed' | 'not-found';

/** What an operator can do with schedules. An unknown name is an answer (undefined or false), never an error. */
export interface ScheduleAdmin {
  list(page?: { readonly after?: string; readonly limit?: number }): Promise<SchedulePage>;
  /** Throws RowUnreadableError for a damaged row, which `list` names. */
  get(name: string): Promise<ScheduleView | undefined>;
  /**
   * Creates a schedule or replaces it. Refuses the name of one that code declares: pause that, or change the code. Refuses a payload that the type
   * would encode, by the job types of the session or else by what the workers reported.
   */
  put(definition: ScheduleDefinition, context?: AuditContext): Promise<ScheduleView>;
  /**
   * Changes single fields of a schedule, and keeps concurrent changes of others. `changed`: the definition has not the hash that was given any more. Refuses a
   * schedule declared in code. The payload is checked against the schema of its type where the session knows it, and refused as `put` does.
   */
  edit(name: string, edit: ScheduleEdit, options?: ScheduleEditOptions): Promise<ScheduleEdited>;
  /** Removes a schedule. Running jobs continue; after a few seconds, occurrences fired ahead do not start any more. Refuses a schedule declared in code. */
  delete(name: string, context?: AuditContext): Promise<boolean>;
  /** Pauses a schedule: no occurrence starts whose time is after the pause; running jobs continue. False if it is paused already or unknown. */
  pause(name: string, context?: AuditContext): Promise<boolean>;
  /** Resumes a schedule; the missed policy decides about occurrences that passed during the pause. False if it is not paused or unknown. */
  resume(name: string, context?: AuditContext): Promise<boolean>;
  /** One more occurrence at once, also while it is paused; its sequence is not disturbed. The job's id. Refuses a worker that the deployment does not have. */
  runNow(name: string, context?: AuditContext): Promise<string | undefined>;
  /**
   * Counts the occurrences of a past range, or with `apply` enqueues those of which no job is known. Undefined for an unknown name. Repeat it with
   * the `next` of its report as `from` until there is none. Refuses a worker that the deployment does not have.
   */
  backfill(name: string, options: BackfillOptions): Promise<BackfillReport | undefined>;
  /** Its next occurrences (default 10, at most 1000) after `from` (default now), with what daylight saving does to them. */
  preview(
    schedule: string | ScheduleDefinition,
    options?: { readonly count?: number; readonly from?: Instant },
  ): Promise<readonly PreviewedOccurrence[] | undefined>;
}

/** Creates the operator verbs for schedules, but for the one that tells its audit in between. The audit checks their contexts. */
export function createScheduleAdmin(deps: OperatorDeps): Omit<ScheduleAdmin, 'backfill'> {
  const { tables } = deps;
  return {
    async list(page = {}) {
      const { rows, after } = await listScheduleRows(tables, checkPage(page));
      const views = rows.map((row) => viewsOf(row, deps.clock.now()));
      return {
        schedules: views.flat(),
        unreadable: rows.filter((_, index) => views[index]?.length === 0).map((row) => String(row['sk'])),
        ...defined({ after }),
      };
    },
    async get(name) {
      const schedule = await readSchedule(tables, checkScheduleName(name));
      return schedule && view(schedule, deps.clock.now());
    },
    async put(given) {
      const definition = checkHandWritten(given);
      checkWorker(deps, definition);
      await checkInClear(deps, definition.type, definition.payload);
      return view(await putSchedule(tables, definition, 'operator', terms(deps)), deps.clock.now());
    },
    edit: async (name, edit, options = {}) => editOf(deps, checkScheduleName(name), checkEdit(edit), options),
    delete: async (name) => deleteSchedule(tables, checkScheduleName(name), 'operator', terms(deps)),
    pause: async (name, context = {}) => (await pauseSchedule(tables, checkScheduleName(name), context, terms(deps))) !== undefined,
    resume: async (name) => (await resumeSchedule(tables, checkScheduleName(name), terms(deps))) !== undefined,
    runNow: async (name) => runNow(deps, checkScheduleName(name)),
    preview: async (schedule, options = {}) => previewOf(deps, schedule, options),
  };
}

function checkPage(page: { readonly after?: string; readonly limit?: number }): typeof page {
  checkOptions(page, ['after', 'limit'], 'page');
  const { limit = 100 } = page;
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000)
    throw new InvalidInputError('limit', limit, 'Use a whole number from 1 to 1000.');
  return page;
}

function terms({ clock, entropy, deployment }: OperatorDeps): ScheduleTerms {
  return { now: clock.now(), token: entropy.token(), lanesOf: (worker) => deployment.workers.get(worker) };
}

/** Refuses a payload that its type would encode: by the type, where the session has it, or else by what its workers reported. */
async function checkInClear({ jobTypes, tables, clock }: OperatorDeps, name: string, payload: string): Promise<void> {
  if (payload === EMPTY_PAYLOAD) return;
  const type = jobTypes?.get(name);
  checkClear(name, type === undefined ? encodingCodec(await readWorkers(tables, clock.now()), name) : type.codec?.name, payload);
}

async function editOf(deps: OperatorDeps, name: string, edit: ScheduleEdit, options: ScheduleEditOptions): Promise<ScheduleEdited> {
  checkText(options.hash, 'hash');
  const read = await readSchedule(deps.tables, name);
  if (read === undefined) return 'not-found';
  refuseDeclared(name, read.origin);
  const type = edit.payload === undefined ? undefined : deps.jobTypes?.get(read.definition.type);
  if (type !== undefined) await validatePayload(type.schema, type.name, edit.payload);
  if (edit.payload !== undefined) await checkInClear(deps, read.definition.type, encodePayload(edit.payload));
  const lifted = type === undefined ? {} : { schemaVersion: type.schemaVersion };
  let outcome = 'not-found' as ScheduleEdited;
  const apply = (seen: Schedule): ScheduleDefinition | undefined => {
    const isAnother = options.hash !== undefined && options.hash !== seen.hash;
    outcome = isAnother || seen.origin === 'code' || seen.definition.type !== read.definition.type ? 'changed' : 'edited';
    return outcome === 'edited' ? editedDefinition({ ...seen.definition, ...lifted }, edit) : undefined;
  };
  const written = await editSchedule(deps.tables, name, apply, terms(deps));
  // A later look may find that it was deleted.
  return written === undefined && outcome === 'edited' ? 'not-found' : outcome;
}

async function runNow(deps: OperatorDeps, name: string): Promise<string | undefined> {
  const { tables, clock, entropy, deployment, journal } = deps;
  const schedule = await readSchedule(tables, name);
  if (schedule === undefined) return undefined;
  const now = clock.now();
  const { definition } = schedule;
  checkWorker(deps, definition);
  const planned = { id: makeJobId(now, entropy.bytes(10)), nominal: now, dueAt: now, rev: 0 };
  const queues = deployment.workers.get(definition.worker);
  const timer = { ...occurrenceJob(definition, planned, now, queues), kind: 'async' } as const;
  const token = entropy.token();
  const { firstRedispatchAfterMs: redispatchAfterMs } = deployment.settings;
  // Only what is paused needs an exemption, which holds for suspensions too.
  const exempt = schedule.paused === undefined ? {} : { runNow: true };
  const fresh = { ...timer, ...exempt, lane: laneOfJob(timer, queues), rev: 0 };
  const job = readyRow(fresh, { token, now, redispatchAfterMs });
  await create(tables, { job, ready: true, ownId: false, token }, now, { notAfter: now + UNFENCED_WRITE_WINDOW_MS });
  journal.record({ event: 'enqueued', worker: job.worker, job: jobRef(job) });
  await sendHints(deps, [job], now);
  return job.id;
}

async function previewOf(
  deps: OperatorDeps,
  given: string | ScheduleDefinition,
  options: { readonly count?: number; readonly from?: Instant },
): Promise<readonly PreviewedOccurrence[] | undefined> {
  checkOptions(options, ['count', 'from'], 'options');
  const now = deps.clock.now();
  const { count = 10 } = options;
  const from = options.from === undefined ? now : instantMs(options.from, 'from');
  if (typeof given !== 'string') {
    const { recurrence, maxRuns = count } = checkScheduleDefinition(given);
    return preview(parseRecurrence(recurrence), from, Math.min(count, maxRuns), now);
  }
  const schedule = await readSchedule(deps.tables, checkScheduleName(given));
  if (schedule === undefined) return undefined;
  const { definition, anchor, settled = [] } = schedule;
  // Those that were fired ahead are yet to come.
  const left = Math.max(0, (definition.maxRuns ?? Number.POSITIVE_INFINITY) - cameDue(schedule, now).runs);
  const all = preview(parseRecurrence(definition.recurrence), from, Math.min(1_000, count + settled.length), anchor);
  return all.filter(({ at }) => !settled.includes(at.getTime())).slice(0, Math.min(count, left));
}

/** None for a row that cannot be read: it is named as unreadable, and the others are shown. */
function viewsOf(row: Row, now: number): readonly ScheduleView[] {
  try {
    return [view(decodeSchedule(row), now)];
  } catch {
    return [];
  }
}

function view(schedule: Schedule, now: number): ScheduleView {
  const { definition, origin, paused } = schedule;
  const due = cameDue(schedule, now);
  const { name, type, tenant } = definition;
  const next = due.next && isNextSettled({ ...schedule, next: due.next }) ? plannedAfter(schedule, due.next.nominal) : due.next;
  const { reason, actor } = paused ?? {};
  return {
    name,
    type,
    ...defined({ tenant }),
    origin,
    definition,
    hash: schedule.hash,
    createdAt: new Date(schedule.createdAt),
    runs: due.runs,
    firedAhead: due.ahead,
    missed: schedule.missed,
    skipped: schedule.skipped,
    ...(due.last === undefined ? {} : { lastAt: new Date(due.last) }),
    ...(next === undefined ? {} : { next: { id: next.id, at: new Date(next.nominal), dueAt: new Date(next.dueAt) } }),
    ...(paused === undefined ? {} : { paused: { at: new Date(paused.at), ...defined({ reason, actor }) } }),
  };
}
