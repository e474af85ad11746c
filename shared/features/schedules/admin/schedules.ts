import { defined } from '../../../core/defined.ts';
import { jobRef } from '../../../ports/journal.ts';
import { InvalidInputError } from '../../../core/errors.ts';
import type { Instant } from '../../../core/instant.ts';
import { instantMs } from '../../../core/instant.ts';
import { makeJobId } from '../../../core/job-id.ts';
import { laneOfJob } from '../../../core/lanes.ts';
import { checkOptions, checkText } from '../../../core/names.ts';
import { checkScheduleDefinition, checkScheduleName, type ScheduleDefinition } from '../model/definition.ts';
import { parseRecurrence, preview, type PreviewedOccurrence } from '../model/recurrence.ts';
import { cameDue } from '../model/come-due.ts';
import { isNextSettled, occurrenceJob, plannedAfter, type Schedule } from '../model/schedule.ts';
import type { Row } from '../../../ports/tables.ts';
import { create } from '../../../store/create.ts';
import { UNFENCED_WRITE_WINDOW_MS } from '../../../core/lease.ts';
import { readyRow } from '../../../store/make-ready.ts';
import { listScheduleRows } from '../store/list-schedules.ts';
import { decodeSchedule, scheduleKey } from '../store/schedule-rows.ts';
import { deleteSchedule, pauseSchedule, putSchedule, readSchedule, resumeSchedule, type ScheduleTerms } from '../store/schedules.ts';
import { sendHints } from '../../../store/send-hints.ts';
import type { AdminDeps } from '../../../admin/admin-deps.ts';

/** A schedule as an operator sees it. */
export interface ScheduleView {
  readonly name: string;
  readonly type: string;
  readonly tenant?: string;
  /** `code`: declared with the deployment, which brings it back as it was declared. */
  readonly origin: 'code' | 'operator';
  readonly definition: ScheduleDefinition;
  readonly createdAt: Date;
  /** Occurrences that became jobs and whose time has come; `missed` were left out by the missed policy, `skipped` became jobs and did not start. */
  readonly runs: number;
  /** Occurrences that are jobs already, up to five minutes ahead of their time. */
  readonly firedAhead: number;
  readonly missed: number;
  readonly skipped: number;
  /** The last occurrence whose time has come. */
  readonly lastAt?: Date;
  /** The occurrence whose time comes next, fired ahead or not; absent while paused, and when there is none any more. */
  readonly next?: { readonly id: string; readonly at: Date; readonly dueAt: Date };
  readonly paused?: { readonly at: Date; readonly reason?: string; readonly actor?: string };
}

/** A page of schedules by name. `after` continues it; absent on the last page. `unreadable` names rows that are no schedules. */
export interface SchedulePage {
  readonly schedules: readonly ScheduleView[];
  readonly unreadable: readonly string[];
  readonly after?: string;
}

/** What an operator can do with schedules. An unknown name is an answer (undefined or false), never an error. */
export interface ScheduleAdmin {
  list(page?: { readonly after?: string; readonly limit?: number }): Promise<SchedulePage>;
  /** Throws RowUnreadableError for a damaged row, which `list` names. */
  get(name: string): Promise<ScheduleView | undefined>;
  /** Creates a schedule or replaces it. Refuses the name of one that code declares: pause that, or change the code. */
  put(definition: ScheduleDefinition): Promise<ScheduleView>;
  /** Removes a schedule. What it has running goes on; what was fired ahead does not start. Refuses one that code declares. */
  delete(name: string): Promise<boolean>;
  /** From now on nothing of it starts; what runs goes on. False when it is paused already or unknown. */
  pause(name: string, why?: { readonly reason?: string; readonly actor?: string }): Promise<boolean>;
  /** Goes on; the missed policy decides about what passed meanwhile. False when it is not paused or unknown. */
  resume(name: string): Promise<boolean>;
  /** One more occurrence at once, also while it is paused; its sequence is not disturbed. The job's id. */
  runNow(name: string): Promise<string | undefined>;
  /** Its next occurrences (default 10, at most 1000) after `from` (default now), with what daylight saving does to them. */
  preview(
    schedule: string | ScheduleDefinition,
    options?: { readonly count?: number; readonly from?: Instant },
  ): Promise<readonly PreviewedOccurrence[] | undefined>;
}

/** Creates the operator verbs for schedules. */
export function createScheduleAdmin(deps: AdminDeps): ScheduleAdmin {
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
    async put(definition) {
      checkScheduleDefinition(definition);
      checkWorker(deps, definition);
      await checkOperators(deps, definition.name);
      return view(await putSchedule(tables, definition, 'operator', terms(deps)), deps.clock.now());
    },
    async delete(name) {
      await checkOperators(deps, checkScheduleName(name));
      return deleteSchedule(tables, name, terms(deps));
    },
    async pause(name, why = {}) {
      checkOptions(why, ['reason', 'actor'], 'why');
      const [reason, actor] = [checkText(why.reason, 'reason'), checkText(why.actor, 'actor')];
      const said = defined({ reason, actor });
      return (await pauseSchedule(tables, checkScheduleName(name), said, terms(deps))) !== undefined;
    },
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

function terms({ clock, entropy, deployment }: AdminDeps): ScheduleTerms {
  return { now: clock.now(), token: entropy.token(), lanesOf: (worker) => deployment.workers.get(worker) };
}

function checkWorker({ deployment }: AdminDeps, { worker }: ScheduleDefinition): void {
  if (deployment.workers.has(worker)) return;
  const known = [...deployment.workers.keys()].join(', ');
  throw new InvalidInputError('worker', worker, `This deployment has: ${known}. Add the worker to the JobExecutor, or fix the job type.`);
}

async function checkOperators({ tables }: AdminDeps, name: string): Promise<void> {
  const row = await tables.get('control', scheduleKey(name));
  if (row?.['origin'] !== 'code') return;
  throw new InvalidInputError('name', name, 'Code declares this schedule. Change it there, pause it, or use another name.');
}

async function runNow(deps: AdminDeps, name: string): Promise<string | undefined> {
  const { tables, clock, entropy, deployment, journal } = deps;
  const schedule = await readSchedule(tables, name);
  if (schedule === undefined) return undefined;
  const now = clock.now();
  const { definition } = schedule;
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
  deps: AdminDeps,
  given: string | ScheduleDefinition,
  options: { readonly count?: number; readonly from?: Instant },
): Promise<readonly PreviewedOccurrence[] | undefined> {
  checkOptions(options, ['count', 'from'], 'options');
  const now = deps.clock.now();
  const { count = 10 } = options;
  const from = options.from === undefined ? now : instantMs(options.from, 'from');
  if (typeof given !== 'string') return preview(parseRecurrence(checkScheduleDefinition(given).recurrence), from, count, now);
  const schedule = await readSchedule(deps.tables, checkScheduleName(given));
  if (schedule === undefined) return undefined;
  const { definition, anchor, settled = [] } = schedule;
  const all = preview(parseRecurrence(definition.recurrence), from, Math.min(1_000, count + settled.length), anchor);
  return all.filter(({ at }) => !settled.includes(at.getTime())).slice(0, count);
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
