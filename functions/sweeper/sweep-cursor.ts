import { iso, storedInstant } from '../../shared/job/instant.ts';
import type { Row, RowKey } from '../../shared/ports/tables.ts';
import { sweepCursorKey } from '../../shared/store/control-rows.ts';
import type { SweeperDeps } from './deps.ts';
import type { WaitingJobs } from './waiting-jobs.ts';

/** Totals of one complete pass through a segment, in one run or several. Jobs that have waited less than a minute are only counted. */
export interface Pass {
  /** Ready and running. */
  readonly jobs: number;
  /** Ready for more than a minute. */
  readonly overdue: number;
  readonly oldestWaitMs: number;
  readonly at: number;
  /** Absent in a row that an older release wrote. */
  readonly waiting?: WaitingJobs;
}

/** Where a segment's scan continues, the totals of the pass so far, and those of the last complete pass. */
export interface Cursor {
  readonly start: RowKey | undefined;
  /** Absent at the start of a pass. */
  readonly under: Pass | undefined;
  readonly last: Pass | undefined;
}

export async function readCursor(deps: Pick<SweeperDeps, 'tables' | 'deployment'>, segment: number): Promise<Cursor> {
  const row = await deps.tables.get('control', sweepCursorKey(segment, deps.deployment.settings.sweepSegments));
  const start = typeof row?.['after'] === 'string' && row['after'] !== '' ? { id: row['after'] } : undefined;
  const last = row === undefined ? undefined : decodePass(row, 'last');
  return { start, under: start && row && decodePass(row, 'under'), last };
}

export async function writeCursor(
  deps: Pick<SweeperDeps, 'tables' | 'deployment'>,
  segment: number,
  { start, under, last }: Cursor,
): Promise<void> {
  const key = sweepCursorKey(segment, deps.deployment.settings.sweepSegments);
  const row = {
    ...key,
    after: start?.['id'] ?? '',
    ...(under === undefined ? {} : encodePass(under, 'under')),
    ...(last === undefined ? {} : encodePass(last, 'last')),
  };
  await deps.tables.write({ op: 'put', table: 'control', row });
}

const encodePass = ({ jobs, overdue, oldestWaitMs, at, waiting }: Pass, of: 'under' | 'last'): Row => ({
  [`${of}Jobs`]: jobs,
  [`${of}Overdue`]: overdue,
  [`${of}OldestWaitMs`]: oldestWaitMs,
  [`${of}At`]: iso(at),
  ...(waiting === undefined ? {} : encodeWaiting(waiting, of)),
});

const encodeWaiting = ({ from, unseen, queues, types }: WaitingJobs, of: 'under' | 'last'): Row => ({
  [`${of}From`]: iso(from),
  [`${of}Unseen`]: unseen,
  [`${of}Queues`]: JSON.stringify([...queues]),
  ...(types === undefined ? {} : { [`${of}Types`]: JSON.stringify([...types]) }),
});

function decodePass(row: Row, of: 'under' | 'last'): Pass | undefined {
  const [jobs, overdue, oldestWaitMs, at] = [
    row[`${of}Jobs`],
    row[`${of}Overdue`],
    row[`${of}OldestWaitMs`],
    storedInstant(row[`${of}At`]),
  ];
  if (typeof jobs !== 'number' || typeof overdue !== 'number' || typeof oldestWaitMs !== 'number' || at === undefined) return undefined;
  const waiting = decodeWaiting(row, of);
  return { jobs, overdue, oldestWaitMs, at, ...(waiting === undefined ? {} : { waiting }) };
}

function decodeWaiting(row: Row, of: 'under' | 'last'): WaitingJobs | undefined {
  const [from, unseen, queues] = [storedInstant(row[`${of}From`]), row[`${of}Unseen`], row[`${of}Queues`]];
  if (from === undefined || typeof unseen !== 'number') return undefined;
  const read = readPairs(queues, isQueue);
  const types = readPairs(row[`${of}Types`], isCount);
  return read === undefined
    ? undefined
    : { from, unseen, queues: new Map(read), ...(types === undefined ? {} : { types: new Map(types) }) };
}

/** Undefined for a text of another form: then the next pass counts anew. */
function readPairs<Pair>(text: unknown, isPair: (one: unknown) => one is Pair): readonly Pair[] | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const read: unknown = JSON.parse(text);
    return Array.isArray(read) && read.every(isPair) ? read : undefined;
  } catch {
    return undefined;
  }
}

const isCount = (one: unknown): one is readonly [string, number] =>
  Array.isArray(one) && typeof one[0] === 'string' && typeof one[1] === 'number';

const isQueue = (one: unknown): one is readonly [string, readonly number[]] =>
  Array.isArray(one) && typeof one[0] === 'string' && Array.isArray(one[1]) && one[1].every((count) => typeof count === 'number');
