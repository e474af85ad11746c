import { defined } from '../../../job/defined.ts';
import { RowUnreadableError } from '../../../job/errors.ts';
import { hash32 } from '../../../job/hash.ts';
import { iso } from '../../../job/instant.ts';
import { isJobId, LEAVES, leaves } from '../../../job/job-id.ts';
import { checkScheduleDefinition, checkUntimed, type ScheduleDefinition } from '../model/definition.ts';
import type { Planned, Schedule, SchedulePause } from '../model/schedule.ts';
import type { Row, RowKey } from '../../../ports/tables.ts';
import { readable, rowCodec } from '../../../store/row-codec.ts';

const PREFIX = 'schedule#';

/** Every partition that holds schedules: thousands that fire in the same second must not share one. */
export const SCHEDULE_PARTITIONS: readonly string[] = leaves().map((leaf) => `${PREFIX}${leaf}`);

/** Row of a schedule. Its partition follows from its name. */
export const scheduleKey = (name: string): RowKey => ({ pk: `${PREFIX}${(hash32(name) % LEAVES).toString(16)}`, sk: name });

/** Whether a row of Control is that of a schedule. */
export const isScheduleRow = (row: Row): boolean => String(row['pk']).startsWith(PREFIX);

/** Partition of the markers of partitions that have ever held schedules. */
export const SCHEDULE_NOTES = 'schedules';

/** The note that the partition of a schedule is in use: it stays when the schedule goes. */
export const scheduleNote = (name: string): Row => ({ pk: SCHEDULE_NOTES, sk: String(scheduleKey(name)['pk']) });

/** The sweeper's position if it could not check all schedules. In the partition of the markers, so that a run reads both together. */
export const scheduleLeftOffKey: RowKey = { pk: SCHEDULE_NOTES, sk: 'left-off' };

/** What a deleted schedule leaves to one that is put under its name again. */
export const scheduleGoneKey = (name: string): RowKey => ({ pk: `schedule-gone#${name}`, sk: 'gone' });

/** The tombstone of a schedule: its last revision, from which a new one continues, and the times that must not be repeated. */
export interface ScheduleGone {
  readonly rev: number;
  readonly settled: readonly number[];
}

/** A write that was sent before a delete arrives long before this is over. */
const GONE_DAYS = 35;

/** Row of a tombstone. TTL removes it when it is no longer needed. */
export const scheduleGoneRow = (name: string, { rev, settled }: ScheduleGone, now: number): Row => ({
  ...scheduleGoneKey(name),
  rev,
  ...settledField(settled),
  expiresAt: Math.ceil(Math.max(now, ...settled) / 1000) + GONE_DAYS * 86_400,
});

/** Reads what is left of a schedule. What cannot be read of it keeps no name from being used again. */
export function decodeScheduleGone(row: Row = {}): ScheduleGone {
  const [settled = []] = readable(() => decodeSettled(row));
  return { rev: 0, ...GONE.decode(row), settled };
}

const GONE = rowCodec({ rev: 'count~' });

/** The unfinished occurrence of a schedule whose occurrences do not overlap. */
export const scheduleRunKey = (name: string): RowKey => ({ pk: `schedule-run#${name}`, sk: 'run' });

/** The one occurrence that waits until that one is finished; it stays here while it has the turn itself. */
export const scheduleWaitKey = (name: string): RowKey => ({ pk: `schedule-run#${name}`, sk: 'wait' });

/** Until when the last catch-up stands for the occurrences that could not start in time, and which one runs for them. */
export const scheduleCatchUpKey = (name: string): RowKey => ({ pk: `schedule-run#${name}`, sk: 'catch-up' });

/** The places of occurrences that wait for the turn in the order of their times: `from` up to `through`. */
export const scheduleLine = (name: string, through: number) =>
  ({ partition: String(scheduleRunKey(name)['pk']), from: 'line#', through: String(scheduleLineKey(name, through)['sk']) }) as const;

/** The place of one of them. */
export const scheduleLineKey = (name: string, nominalAt: number): RowKey => ({ pk: `schedule-run#${name}`, sk: `line#${iso(nominalAt)}` });

/** Which schedules of the code were last brought to Control. */
export const scheduleSyncKey: RowKey = { pk: 'schedule-sync', sk: 'code' };

const PROGRESS = rowCodec({
  createdAt: 'instant',
  anchor: 'instant',
  rev: 'count',
  runs: 'count',
  missed: 'count',
  skipped: 'count',
  lastNominal: 'instant?',
});
const NEXT = rowCodec({ nextId: 'text', nextNominal: 'instant', nextDue: 'instant' });
const PAUSE = rowCodec({ pausedAt: 'instant', pausedNext: 'instant?', pausedReason: 'text~', pausedBy: 'text~' });

/** The row of a schedule; the attributes that operators look for are stored next to the definition's JSON. */
export function scheduleRow(schedule: Schedule): Row {
  const { definition, next, paused } = schedule;
  const { cron, every, zone } = definition.recurrence;
  return {
    ...scheduleKey(definition.name),
    definition: JSON.stringify(definition),
    type: definition.type,
    recurrence: cron ?? every ?? '',
    zone: zone ?? 'UTC',
    ...defined({ tenant: definition.tenant }),
    origin: schedule.origin,
    hash: schedule.hash,
    ...PROGRESS.encode(schedule),
    ...(next === undefined ? {} : plannedFields(next)),
    ...(paused === undefined ? {} : pauseFields(paused)),
    ...settledField(schedule.settled),
  };
}

/** Instants as one text, which an operator can read. */
export const settledField = (times: readonly number[] = []): Row => (times.length === 0 ? {} : { settled: times.map(iso).join() });

/** The occurrence that waits in Timers, according to the schedule's row. */
export function plannedFields(next: Planned): Row {
  return NEXT.encode({ nextId: next.id, nextNominal: next.nominal, nextDue: next.dueAt });
}

/** The attributes of `plannedFields`, for an update that removes them. */
export const PLANNED_FIELDS: readonly string[] = ['nextId', 'nextNominal', 'nextDue'];

function pauseFields({ at, next, reason, actor }: SchedulePause): Row {
  return PAUSE.encode({ pausedAt: at, pausedNext: next, pausedReason: reason, pausedBy: actor });
}

/** Reads a schedule's row; throws RowUnreadableError, naming the attribute. */
export function decodeSchedule(row: Row): Schedule {
  return decode(row, checkScheduleDefinition);
}

/** As `decodeSchedule`, for code that plans nothing: the recurrence of the definition is not checked. */
export function decodeUntimedSchedule(row: Row): Schedule {
  return decode(row, checkUntimed);
}

function decode(row: Row, check: typeof checkScheduleDefinition): Schedule {
  const settled = decodeSettled(row);
  const { origin } = row;
  if (origin !== 'code' && origin !== 'operator') throw new RowUnreadableError('origin', origin);
  return {
    definition: decodeDefinition(row, check),
    origin,
    hash: String(row['hash'] ?? ''),
    ...PROGRESS.decode(row),
    ...defined({ next: decodePlanned(row), paused: decodePause(row) }),
    ...(settled.length === 0 ? {} : { settled }),
  };
}

const SETTLED = rowCodec({ settled: 'instant' });

function decodeSettled(row: Row): readonly number[] {
  const times = row['settled'] === undefined ? [] : String(row['settled']).split(',');
  return times.map((settled) => SETTLED.decode({ settled }).settled);
}

function decodeDefinition(row: Row, check: typeof checkScheduleDefinition): ScheduleDefinition {
  try {
    const definition = check(JSON.parse(String(row['definition'])));
    if (definition.name === row['sk']) return definition;
  } catch {
    // said below
  }
  throw new RowUnreadableError('definition', row['definition']);
}

function decodePlanned(row: Row): Planned | undefined {
  if (row['nextId'] === undefined) return undefined;
  const { nextId: id, nextNominal: nominal, nextDue: dueAt } = NEXT.decode(row);
  if (!isJobId(id)) throw new RowUnreadableError('nextId', id);
  return { id, nominal, dueAt };
}

function decodePause(row: Row): SchedulePause | undefined {
  if (row['pausedAt'] === undefined) return undefined;
  const { pausedAt: at, pausedNext: next, pausedReason: reason, pausedBy: actor } = PAUSE.decode(row);
  return { at, ...defined({ next, reason, actor }) };
}
