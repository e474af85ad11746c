import { defined } from '../../../job/defined.ts';
import { StoreUnavailableError } from '../../../job/errors.ts';
import { definitionHash, type ScheduleDefinition } from '../model/definition.ts';
import { parseRecurrence } from '../model/recurrence.ts';
import { UNFENCED_WRITE_WINDOW_MS } from '../../../job/lease.ts';
import {
  firstPlanned,
  occurrenceJob,
  type Planned,
  planAfterPause,
  plannedAfter,
  refuseDeclared,
  type Schedule,
  type ScheduleOrigin,
  type SchedulePause,
  type WorkerDefaults,
  withSettled,
} from '../model/schedule.ts';
import type { Condition, Row, Tables, Write } from '../../../ports/tables.ts';
import { noRow, revIs, unchanged } from '../../../store/conditions.ts';
import { findPending, type Pending } from './pending-occurrence.ts';
import { highestCount, type Recall, recallAhead } from './recall-ahead.ts';
import { timerRow } from '../../../store/rows.ts';
import {
  decodeSchedule,
  decodeScheduleGone,
  type ScheduleGone,
  scheduleGoneKey,
  scheduleGoneRow,
  scheduleKey,
  scheduleNote,
  scheduleRow,
} from './schedule-rows.ts';
import { tryTransact } from '../../../store/transact.ts';
import { CHANGED, untilUnchanged } from '../../../store/until-unchanged.ts';

/** Terms of a schedule change. `token` is fresh for each call. */
export interface ScheduleTerms {
  readonly now: number;
  readonly token: string;
  readonly lanesOf: (worker: string) => WorkerDefaults | undefined;
}

const NOTHING_AHEAD: Recall = { writes: [], back: [], kept: [], rev: 0 };
const MAX_LOOKS = 8;

/** A schedule by its name. Throws RowUnreadableError for a row that is none. */
export async function readSchedule(tables: Tables, name: string): Promise<Schedule | undefined> {
  const row = await tables.get('control', scheduleKey(name));
  return row && decodeSchedule(row);
}

/** Creates a schedule or replaces its definition, for an operator only one that code does not declare. The sequence of its occurrences continues if its recurrence is the same. */
export async function putSchedule(
  tables: Tables,
  definition: ScheduleDefinition,
  origin: ScheduleOrigin,
  terms: ScheduleTerms,
): Promise<Schedule> {
  const put = await change(tables, definition.name, terms, (seen, { gone, recall }) => {
    if (origin === 'operator') refuseDeclared(definition.name, seen?.origin);
    return replaced(seen, definition, { origin, now: terms.now, gone, recall });
  });
  // A change that always writes always gives back what it wrote.
  return put as Schedule;
}

/** Replaces the definition of a schedule by what `edit` makes of it, in one transaction. Undefined: there is no such schedule, or `edit` left it as it is. */
export async function editSchedule(
  tables: Tables,
  name: string,
  edit: (seen: Schedule) => ScheduleDefinition | undefined,
  terms: ScheduleTerms,
): Promise<Schedule | undefined> {
  return change(tables, name, terms, (seen, { gone, recall }) => {
    const definition = seen && edit(seen);
    return definition && replaced(seen, definition, { origin: seen.origin, now: terms.now, gone, recall });
  });
}

function replaced(
  seen: Schedule | undefined,
  definition: ScheduleDefinition,
  { origin, now, gone, recall }: Found & { readonly origin: ScheduleOrigin; readonly now: number },
): Schedule {
  const fresh = { definition, origin, hash: definitionHash(definition) };
  const begun = { createdAt: now, anchor: now, rev: 0, runs: 0, missed: 0, skipped: 0 };
  if (seen === undefined) return withSettled(withNext({ ...begun, ...fresh }, firstPlanned(definition, now, gone)), gone.settled, now);
  // Nothing to plan. This may be a late repeat of a verb whose first attempt did it: its `now` is before the occurrences since.
  if (seen.hash === fresh.hash) return { ...seen, ...fresh };
  if (sameTimes(seen.definition, definition)) return goesOn({ ...seen, ...fresh }, now);
  if (sameTimes(withoutExclusions(seen.definition), withoutExclusions(definition))) return excluding({ ...seen, ...fresh }, recall, now);
  const { lastNominal: _last, ...kept } = seen;
  const moved: Schedule = { ...kept, ...fresh, anchor: now, runs: 0 };
  if (seen.paused === undefined)
    return withNext(moved, firstPlanned(definition, now, { settled: seen.settled ?? [], last: lastDecided(seen, now) }));
  const { next: _next, ...paused } = seen.paused;
  return { ...moved, paused };
}

/** Nominal time of the last occurrence that is decided. One that has neither fired nor been edited has yet to decide about those of the past. */
function lastDecided({ lastNominal, next, runs, missed, anchor, createdAt }: Schedule, now: number): number {
  if (lastNominal !== undefined) return lastNominal;
  const isNew = runs === 0 && missed === 0 && anchor === createdAt;
  return isNew ? Number.NEGATIVE_INFINITY : (next?.nominal ?? now) - 1;
}

/** More runs than before bring back a schedule that had had its runs; fewer end it. A pause decides when it ends. */
function goesOn(schedule: Schedule, now: number): Schedule {
  if (schedule.paused !== undefined) return schedule;
  const { maxRuns = Number.POSITIVE_INFINITY } = schedule.definition;
  if (schedule.runs >= maxRuns) return withNext(schedule, undefined);
  if (schedule.next !== undefined) return schedule;
  return withNext(schedule, plannedAfter(schedule, Math.max(now, schedule.lastNominal ?? now)));
}

/** Other days are excluded than before: the sequence goes on from what is due, with its count. Days of the past that are excluded no more stay without a run. */
function excluding(seen: Schedule, recall: Recall, now: number): Schedule {
  const schedule = withoutRecalled(seen, recall);
  if (schedule.paused !== undefined) return schedule;
  const { maxRuns = Number.POSITIVE_INFINITY } = schedule.definition;
  if (schedule.runs >= maxRuns) return withNext(schedule, undefined);
  // Jitter or a late tick: both may be past. What was fired ahead and is not taken back is settled.
  const times = [seen.next?.nominal, recall.back[0]].filter((time) => time !== undefined);
  return withNext(schedule, plannedAfter(schedule, Math.min(now, ...times.map((time) => time - 1))));
}

function withoutExclusions({ recurrence: { exclude: _exclude, ...recurrence }, ...definition }: ScheduleDefinition): ScheduleDefinition {
  return { ...definition, recurrence };
}

/** The schedule as it was before the occurrences that are taken back were fired. */
function withoutRecalled(seen: Schedule, { back, kept }: Recall): Schedule {
  const [first] = back;
  if (first === undefined) return seen;
  const { lastNominal: _last, ...rest } = seen;
  const last = kept.filter((nominal) => nominal < first).at(-1);
  return { ...rest, runs: Math.max(0, seen.runs - back.length), ...defined({ lastNominal: last }) };
}

/** Whether the occurrences of two definitions are the same, ids included, however their recurrences are written. */
function sameTimes(one: ScheduleDefinition, other: ScheduleDefinition): boolean {
  const recurrenceOf = ({ recurrence }: ScheduleDefinition): string => JSON.stringify(parseRecurrence(recurrence));
  return one.jitterMs === other.jitterMs && recurrenceOf(one) === recurrenceOf(other);
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
  return change(tables, name, terms, (seen, { recall }) => {
    if (seen === undefined || seen.paused !== undefined) return undefined;
    const from = recall.back[0] ?? seen.next?.nominal;
    const paused = { at: terms.now, ...defined({ next: from }), ...pause };
    return withNext({ ...withoutRecalled(seen, recall), paused }, undefined);
  });
}

/** Ends a pause; the missed policy decides about the occurrences that passed during it. */
export async function resumeSchedule(tables: Tables, name: string, terms: ScheduleTerms): Promise<Schedule | undefined> {
  return change(tables, name, terms, (seen) => {
    if (seen?.paused === undefined) return undefined;
    const { paused: _paused, ...running } = seen;
    const { missed, next } = planAfterPause(seen, terms.now);
    return withNext({ ...running, missed: seen.missed + missed }, next);
  });
}

/** Removes a schedule and its next occurrence; after a few seconds, those that were fired ahead do not start any more. True when there was one. */
export async function deleteSchedule(tables: Tables, name: string, origin: ScheduleOrigin, terms: ScheduleTerms): Promise<boolean> {
  const attempt = async (look: number): Promise<boolean | typeof CHANGED> => {
    const row = await tables.get('control', scheduleKey(name));
    if (row === undefined) return false;
    if (origin === 'operator') refuseDeclared(name, row['origin']);
    const seen = readable(row);
    const same: Condition = seen === undefined ? { test: 'present', attribute: 'pk' } : revIs(seen.rev);
    const remove: Write = { op: 'delete', table: 'control', key: scheduleKey(name), condition: same };
    const pending = await findPending(tables, seen);
    const recall = seen === undefined ? NOTHING_AHEAD : await recallAhead(tables, seen, terms.now);
    const rev = Math.max(highestCount(row), revOf(pending), recall.rev);
    const settled = seen === undefined ? [] : (known(seen, { recall, pending }, terms.now).settled ?? []);
    const gone: Write = { op: 'put', table: 'control', row: scheduleGoneRow(name, { rev, settled }, terms.now) };
    const timer = pending.state === 'waiting' ? [removeTimer(pending)] : [];
    const token = `schedule-delete/${name}/${terms.token}/${look}`;
    return (await tryTransact(tables, token, { remove, gone, timer, ahead: recall.writes })).applied ? true : CHANGED;
  };
  return untilUnchanged(MAX_LOOKS, attempt, keptChanging('delete', name));
}

/** An unreadable row must still be removable. */
function readable(row: Row): Schedule | undefined {
  try {
    return decodeSchedule(row);
  } catch {
    return undefined;
  }
}

/** What a schedule change found in addition to the row. `gone`: the tombstone of a deleted schedule with this name. */
interface Found {
  readonly recall: Recall;
  readonly gone: ScheduleGone;
}

/**
 * Changes a schedule and its timer in one transaction, conditional on the rows that were read; a lost race is retried. Undefined: nothing to
 * change. A timer that stays the same is left alone, with all changes by operators.
 */
async function change(
  tables: Tables,
  name: string,
  terms: ScheduleTerms,
  changed: (seen: Schedule | undefined, found: Found) => Schedule | undefined,
): Promise<Schedule | undefined> {
  const attempt = async (look: number): Promise<Schedule | undefined | typeof CHANGED> => {
    const read = await readSchedule(tables, name);
    const tombstone = read === undefined ? await tables.get('control', scheduleGoneKey(name)) : undefined;
    const gone = decodeScheduleGone(tombstone);
    const pending = await findPending(tables, read);
    const recall = read === undefined ? NOTHING_AHEAD : await recallAhead(tables, read, terms.now);
    const seen = read && known(read, { recall, pending }, terms.now);
    const wanted = changed(seen, { recall, gone });
    if (wanted === undefined) return undefined;
    // Occurrences fired ahead are taken back when a pause begins, or if they no longer belong to the recurrence.
    const pauses = wanted.paused !== undefined && seen?.paused === undefined;
    const stays = !pauses && seen !== undefined && sameTimes(seen.definition, wanted.definition);
    const schedule = { ...wanted, rev: Math.max(seen?.rev ?? gone.rev, revOf(pending), recall.rev) + 1 };
    const condition = seen === undefined ? noRow('pk') : revIs(seen.rev);
    const writes = {
      schedule: { op: 'put', table: 'control', row: scheduleRow(schedule), condition } as const,
      timer: timerWrites(schedule, seen, pending, terms),
      ahead: stays ? [] : recall.writes,
      takeOver: seen === undefined ? takeOver(name, tombstone) : undefined,
    };
    // Before the schedule is put: otherwise the sweeper would not check its partition.
    if (seen === undefined) await tables.write({ op: 'put', table: 'control', row: scheduleNote(name) });
    // That no row is there fences nothing once the schedule is deleted: what arrives later would bring it back.
    const window = seen === undefined ? { notAfter: terms.now + UNFENCED_WRITE_WINDOW_MS } : {};
    const token = `schedule/${name}/${schedule.rev}/${terms.token}/${look}`;
    return (await tryTransact(tables, token, writes, window)).applied ? schedule : CHANGED;
  };
  return untilUnchanged(MAX_LOOKS, attempt, keptChanging('change', name));
}

/** A schedule with all settled times, also of those that can neither be taken back nor repeated. */
function known(seen: Schedule, { recall, pending }: { readonly recall: Recall; readonly pending: Pending }, now: number): Schedule {
  return withSettled(seen, [...recall.kept, ...(pending.state === 'elsewhere' ? [pending.next.nominal] : [])], now);
}

/** A schedule with the name of a deleted one continues from its tombstone, if that is unchanged. */
function takeOver(name: string, tombstone: Row | undefined): Write {
  return { op: 'delete', table: 'control', key: scheduleGoneKey(name), condition: unchanged('rev', tombstone?.['rev']) };
}

const revOf = (pending: Pending): number => (pending.state === 'waiting' ? pending.rev : 0);

const removeTimer = ({ key, same }: Pending & { readonly state: 'waiting' }): Write => ({
  op: 'delete',
  table: 'timers',
  key,
  condition: same,
});

/** The timer of a schedule that changes: gone, another, the same with another content, or left alone. */
function timerWrites(schedule: Schedule, seen: Schedule | undefined, pending: Pending, terms: ScheduleTerms): readonly Write[] {
  const put = putTimer(schedule, terms);
  const isSame = seen?.next !== undefined && seen.next.id === schedule.next?.id;
  if (isSame && (seen.hash === schedule.hash || pending.state === 'elsewhere')) return [];
  const remove = pending.state === 'waiting' ? [removeTimer(pending)] : [];
  if (put === undefined) return remove;
  if (pending.state !== 'waiting' || pending.key['shard'] !== put.row['shard'] || pending.key['due'] !== put.row['due'])
    return [...remove, put];
  return [{ ...put, condition: pending.same }];
}

/** The put of the timer of a schedule's next occurrence. */
export function putTimer(schedule: Schedule, terms: Pick<ScheduleTerms, 'now' | 'lanesOf'>): (Write & { readonly op: 'put' }) | undefined {
  const { next, definition } = schedule;
  if (next === undefined) return undefined;
  const job = occurrenceJob(definition, { ...next, rev: schedule.rev }, terms.now, terms.lanesOf(definition.worker));
  return { op: 'put', table: 'timers', row: timerRow(job) };
}

function withNext(schedule: Schedule, next: Planned | undefined): Schedule {
  const { next: _next, ...rest } = schedule;
  return next === undefined ? rest : { ...rest, next };
}

const keptChanging = (verb: string, name: string) => (): never => {
  throw new StoreUnavailableError(`${verb} schedule`, new Error(`${name} kept changing`));
};
