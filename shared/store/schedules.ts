import { StoreUnavailableError } from '../core/errors.ts';
import { sha256 } from '../core/hash.ts';
import { definitionHash, type ScheduleDefinition } from '../core/schedule/definition.ts';
import { UNFENCED_WRITE_WINDOW_MS } from '../core/lease.ts';
import {
  firstPlanned,
  occurrenceJob,
  type Planned,
  plannedAfter,
  plannedAfterPause,
  type Schedule,
  type ScheduleOrigin,
  type SchedulePause,
  type WorkerDefaults,
} from '../core/schedule/schedule.ts';
import type { Condition, Row, Tables, Write } from '../ports/tables.ts';
import { noRow, revIs } from './conditions.ts';
import { movedKey } from './control-rows.ts';
import { type Recall, recallAhead } from './recall-ahead.ts';
import { idKey, timerKey, timerRow } from './rows.ts';
import { decodeSchedule, scheduleKey, scheduleNote, scheduleRow } from './schedule-rows.ts';

/** What a change of a schedule needs besides the schedule. `token` is fresh for each call. */
export interface ScheduleTerms {
  readonly now: number;
  readonly token: string;
  readonly lanesOf: (worker: string) => WorkerDefaults | undefined;
}

const NOTHING_AHEAD: Recall = { writes: [] };
const MAX_LOOKS = 8;

/** A schedule by its name. Throws RowUnreadableError for a row that is none. */
export async function readSchedule(tables: Tables, name: string): Promise<Schedule | undefined> {
  const row = await tables.get('control', scheduleKey(name));
  return row && decodeSchedule(row);
}

/** Creates a schedule or replaces its definition. The order of its occurrences goes on where its recurrence is the same. */
export async function putSchedule(
  tables: Tables,
  definition: ScheduleDefinition,
  origin: ScheduleOrigin,
  terms: ScheduleTerms,
): Promise<Schedule> {
  const put = await change(tables, definition.name, terms, (seen) => replaced(seen, definition, origin, terms.now));
  // A change that always writes always gives back what it wrote.
  return put as Schedule;
}

function replaced(seen: Schedule | undefined, definition: ScheduleDefinition, origin: ScheduleOrigin, now: number): Schedule {
  const fresh = { definition, origin, hash: definitionHash(definition) };
  const begun = { createdAt: now, anchor: now, rev: 0, runs: 0, missed: 0, skipped: 0 };
  if (seen === undefined) return withNext({ ...begun, ...fresh }, firstPlanned(definition, now));
  // Nothing to plan, least of all by a verb that began long ago and whose first attempt did it: its `now` lies before what passed since.
  if (seen.hash === fresh.hash) return { ...seen, ...fresh };
  if (sameTimes(seen.definition, definition)) return goesOn({ ...seen, ...fresh }, now);
  const { lastNominal: _last, ...kept } = seen;
  const moved: Schedule = { ...kept, ...fresh, anchor: now, runs: 0 };
  if (seen.paused === undefined) return withNext(moved, firstPlanned(definition, now));
  const { next: _next, ...paused } = seen.paused;
  return { ...moved, paused };
}

/** More runs than before bring back a schedule that had had its runs; fewer end it. A pause decides when it ends. */
function goesOn(schedule: Schedule, now: number): Schedule {
  if (schedule.paused !== undefined) return schedule;
  const { maxRuns = Number.POSITIVE_INFINITY } = schedule.definition;
  if (schedule.runs >= maxRuns) return withNext(schedule, undefined);
  if (schedule.next !== undefined) return schedule;
  return withNext(schedule, plannedAfter(schedule, Math.max(now, schedule.lastNominal ?? now)));
}

/** Whether the occurrences of two definitions are the same, ids included. */
function sameTimes(one: ScheduleDefinition, other: ScheduleDefinition): boolean {
  return JSON.stringify(one.recurrence) === JSON.stringify(other.recurrence) && one.jitterMs === other.jitterMs;
}

/**
 * Pauses a schedule: its next occurrence leaves Timers, and those that were fired ahead leave Jobs, in one transaction. Undefined when
 * it is paused already, or there is no such schedule.
 */
export async function pauseSchedule(
  tables: Tables,
  name: string,
  pause: Omit<SchedulePause, 'at' | 'next'>,
  terms: ScheduleTerms,
): Promise<Schedule | undefined> {
  return change(tables, name, terms, (seen, { writes, from = seen?.next?.nominal, kept }) => {
    if (seen === undefined || seen.paused !== undefined) return undefined;
    const { lastNominal: _last, ...rest } = seen;
    const last = writes.length === 0 ? seen.lastNominal : kept;
    return withNext(
      {
        ...rest,
        runs: Math.max(0, seen.runs - writes.length),
        ...(last === undefined ? {} : { lastNominal: last }),
        paused: { at: terms.now, ...(from === undefined ? {} : { next: from }), ...pause },
      },
      undefined,
    );
  });
}

/** Ends a pause; the missed policy decides about the occurrences that passed meanwhile. */
export async function resumeSchedule(tables: Tables, name: string, terms: ScheduleTerms): Promise<Schedule | undefined> {
  const paused = await readSchedule(tables, name);
  const first = paused?.paused === undefined ? undefined : plannedAfterPause(paused, terms.now);
  // Its row could not be read before the pause, and lies in the dead letters: it is not planned under the same id again.
  const setAside = first !== undefined && (await tables.get('deadLetters', idKey(first.id))) !== undefined;
  return change(tables, name, terms, (seen) => {
    if (seen?.paused === undefined) return undefined;
    const { paused: _paused, ...running } = seen;
    const next = plannedAfterPause(seen, terms.now);
    return withNext(running, setAside && next?.id === first.id ? plannedAfter(seen, next.nominal) : next);
  });
}

/** Removes a schedule and its next occurrence; those that were fired ahead do not start. True when there was one. */
export async function deleteSchedule(tables: Tables, name: string, terms: ScheduleTerms): Promise<boolean> {
  for (let look = 0; look < MAX_LOOKS; look++) {
    const row = await tables.get('control', scheduleKey(name));
    if (row === undefined) return false;
    const seen = readable(row);
    const same: Condition = seen === undefined ? { test: 'present', attribute: 'pk' } : revIs(seen.rev);
    const remove: Write = { op: 'delete', table: 'control', key: scheduleKey(name), condition: same };
    const timer = await removeTimer(tables, seen?.next);
    const ahead = seen === undefined ? [] : (await recallAhead(tables, seen, terms.now)).writes;
    const token = sha256(`schedule-delete/${name}/${terms.token}/${look}`);
    if ((await tables.transact([remove, ...timer, ...ahead], token)).applied) return true;
  }
  throw kept('delete', name);
}

/** A row that cannot be read must be removable all the same. */
function readable(row: Row): Schedule | undefined {
  try {
    return decodeSchedule(row);
  } catch {
    return undefined;
  }
}

/** Changes a schedule in one transaction with its timer, on the row that was seen; a lost race looks again. Undefined: nothing to change. */
export async function change(
  tables: Tables,
  name: string,
  terms: ScheduleTerms,
  changed: (seen: Schedule | undefined, recall: Recall) => Schedule | undefined,
): Promise<Schedule | undefined> {
  for (let look = 0; look < MAX_LOOKS; look++) {
    const seen = await readSchedule(tables, name);
    const recall = seen === undefined ? NOTHING_AHEAD : await recallAhead(tables, seen, terms.now);
    const wanted = changed(seen, recall);
    if (wanted === undefined) return undefined;
    // What was fired ahead is taken back by a pause that begins, and where it would not come at all any more.
    const pauses = wanted.paused !== undefined && seen?.paused === undefined;
    const stays = !pauses && seen !== undefined && sameTimes(seen.definition, wanted.definition);
    const schedule = { ...wanted, rev: (seen?.rev ?? 0) + 1 };
    const put = putTimer(schedule, terms);
    const remove = (await removeTimer(tables, seen?.next)).filter(
      (write) => put === undefined || JSON.stringify(keyOf(write)) !== JSON.stringify(keyOf(put)),
    );
    const condition = seen === undefined ? noRow('pk') : revIs(seen.rev);
    const writes: Write[] = [
      { op: 'put', table: 'control', row: scheduleRow(schedule), condition },
      ...remove,
      ...(put ? [put] : []),
      ...(stays ? [] : recall.writes),
    ];
    const token = sha256(`schedule/${name}/${schedule.rev}/${terms.token}/${look}`);
    // Before the schedule is: one whose partition nobody looks at would not be mended.
    if (seen === undefined) await tables.write({ op: 'put', table: 'control', row: scheduleNote(name) });
    // That no row is there fences nothing once the schedule is deleted: what arrives later would bring it back.
    const window = seen === undefined ? { notAfter: terms.now + UNFENCED_WRITE_WINDOW_MS } : {};
    if ((await tables.transact(writes, token, window)).applied) return schedule;
  }
  throw kept('change', name);
}

/** The put of the timer of a schedule's next occurrence. */
export function putTimer(schedule: Schedule, terms: Pick<ScheduleTerms, 'now' | 'lanesOf'>): (Write & { readonly op: 'put' }) | undefined {
  const { next, definition } = schedule;
  if (next === undefined) return undefined;
  const job = occurrenceJob(definition, { ...next, rev: schedule.rev }, terms.now, terms.lanesOf(definition.worker));
  return { op: 'put', table: 'timers', row: timerRow(job) };
}

/** The delete of a pending occurrence's timer: where it was planned, and where a reschedule has moved it, from where it may be back. */
async function removeTimer(tables: Tables, next: Planned | undefined): Promise<readonly Write[]> {
  if (next === undefined) return [];
  const key = timerKey(next.id, next.dueAt);
  const moved = await tables.get('control', movedKey(next.id));
  const due = new Set([String(key['due']), ...(moved === undefined ? [] : [String(moved['due'])])]);
  return [...due].map((at) => ({ op: 'delete', table: 'timers', key: { ...key, due: at } }));
}

function keyOf(write: Write): readonly unknown[] {
  const row = write.op === 'put' ? write.row : write.key;
  return [row['shard'], row['due']];
}

function withNext(schedule: Schedule, next: Planned | undefined): Schedule {
  const { next: _next, ...rest } = schedule;
  return next === undefined ? rest : { ...rest, next };
}

function kept(verb: string, name: string): StoreUnavailableError {
  return new StoreUnavailableError(`${verb} schedule`, new Error(`${name} kept changing`));
}
