import { defined } from '../../../job/defined.ts';
import { iso } from '../../../job/instant.ts';
import { leafOf, leaves } from '../../../job/job-id.ts';
import type { Clock } from '../../../ports/clock.ts';
import { type EventSink, JOB_EVENTS, type JobEvent } from '../../../ports/event-sink.ts';
import type { Row, Tables } from '../../../ports/tables.ts';
import { mergePartitions } from '../../../store/merge-partitions.ts';
import { rowCodec } from '../../../store/row-codec.ts';

const DAY_SECONDS = 86_400;
const HOUR_MS = 3_600_000;
/** No attempt to write an event starts later than this, so that a reader knows when a range is complete. */
const WRITE_WINDOW_MS = 5_000;
/** That window, the life of its last request, and the clocks of writer and reader 2 s off each. */
const SETTLED_AFTER_MS = 15_000;
/** Rounds of one read: each reads the 16 leaves of an hour. */
const MAX_ROUNDS = 24;

/** What an event log works with. */
export interface EventLogDeps {
  readonly tables: Tables;
  readonly clock: Clock;
  /** How long events are kept. */
  readonly days: number;
  /** Counts the events of a process, so that those that it writes within one millisecond keep their order. */
  readonly sequence?: { next: number };
}

/** Keeps events in the History table, in the order in which they were written, by hour and leaf of the job. */
export function eventLogSink({ tables, clock, days, sequence = { next: 0 } }: EventLogDeps): EventSink {
  return {
    name: 'log',
    put: async (events) => {
      const now = clock.now();
      const rows = events.map((event) => eventRow(event, { now, index: sequence.next++ % 100_000_000, days }));
      return (await tables.putAll('history', rows, { notAfter: now + WRITE_WINDOW_MS })).length;
    },
  };
}

/** The partition of an hour, `2026-01-31T02`, and a leaf of the ids of jobs. */
export const eventPartition = (hour: string, leaf: string): string => `events#${hour}#${leaf}`;

function eventRow(event: JobEvent, { now, index, days }: { readonly now: number; readonly index: number; readonly days: number }): Row {
  const { id, event: name, at, job, ...rest } = event;
  const written = iso(now);
  return {
    day: eventPartition(written.slice(0, 13), leafOf(job.id)),
    id: `${written}#${String(index).padStart(8, '0')}#${id}`,
    event: name,
    at: iso(at),
    jobId: job.id,
    type: job.type,
    worker: job.worker,
    attempt: job.attempt,
    ...defined({ tenant: job.tenant, correlationId: job.correlationId }),
    ...rest,
    expiresAt: Math.floor(now / 1000) + days * DAY_SECONDS,
  };
}

/** A part of the event log in order. `after` is where to continue, even if there is no more yet. */
export interface EventPage {
  readonly events: readonly JobEvent[];
  readonly after: string;
  /** Whether all settled events were read. */
  readonly upToDate: boolean;
}

/**
 * Reads events behind `after`, in the order in which they were written. What is younger than 15 s is left for the next read: until then
 * an older one may still arrive. Bounded: an empty day is passed in one read.
 */
export async function readEvents(tables: Tables, after: string, limit: number, now: number): Promise<EventPage> {
  const until = `${iso(now - SETTLED_AFTER_MS)}~`;
  const events: JobEvent[] = [];
  let position = after;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    if (position >= until) return { events, after: position, upToDate: true };
    const hour = position.slice(0, 13);
    const found = await mergePartitions(tables, {
      table: 'history',
      partitions: leaves().map((leaf) => eventPartition(hour, leaf)),
      sort: 'id',
      from: position,
      through: until,
      perPartition: Math.max(10, Math.ceil((2 * limit) / leaves().length)),
    });
    for (const row of found.rows) {
      const sort = String(row['id']);
      if (sort <= position) continue;
      const event = readEvent(row);
      if (event !== undefined) events.push(event);
      position = sort;
      if (events.length >= limit) return { events, after: position, upToDate: false };
    }
    if (found.end !== undefined) continue;
    const next = iso(Date.parse(`${hour}:00:00.000Z`) + HOUR_MS);
    if (next >= until) return { events, after: position, upToDate: true };
    position = next;
  }
  return { events, after: position, upToDate: false };
}

const OF_JOB = rowCodec({ tenant: 'text~', correlationId: 'text~' });
const OF_EVENT = rowCodec({ reason: 'text~', errorName: 'text~', queueDelayMs: 'number~', runMs: 'number~', timerLagMs: 'number~' });
const KNOWN: ReadonlySet<unknown> = new Set(JOB_EVENTS);

/** A damaged row is skipped: it must not stop a reader forever. */
function readEvent(row: Row): JobEvent | undefined {
  const { at, jobId, type, worker, attempt } = row;
  // Rows from before the event got its name.
  const event = row['event'] === 'activated' ? 'resumed' : row['event'];
  const ms = Date.parse(String(at));
  if (!KNOWN.has(event) || Number.isNaN(ms) || typeof jobId !== 'string') return undefined;
  return {
    id: String(row['id']).split('#')[2] ?? '',
    event: event as JobEvent['event'],
    at: ms,
    job: { id: jobId, type: String(type), worker: String(worker), attempt: Number(attempt), ...OF_JOB.decode(row) },
    ...OF_EVENT.decode(row),
  };
}
