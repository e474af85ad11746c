import { STATES } from '../../operate/jobs/check-filter.ts';
import { iso } from '../../shared/job/instant.ts';
import type { Job, JobState } from '../../shared/job/job.ts';
import type { Row, TableName, Tables } from '../../shared/ports/tables.ts';
import { listingKey, parkedPointerRow, parkedRow } from '../../shared/store/parked-rows.ts';
import { deadLetterRow, historyRow, jobRow, suspendedRow, timerRow } from '../../shared/store/rows.ts';
import { idOf } from './job-rows.ts';

/** The values of a generated job, for expectations that do not depend on the code under test. */
export interface StrewnJob {
  readonly id: string;
  readonly state: JobState;
  readonly type: string;
  readonly tenant?: string;
  readonly group?: string;
  readonly batch?: string;
  readonly correlationId?: string;
  readonly schedule?: string;
  readonly worker: string;
  readonly lane: string;
  readonly payload: string;
  readonly kind: 'async' | 'timer';
  readonly priority: number;
  readonly failures: number;
  readonly attempts: number;
  readonly createdAt: number;
  readonly lockOwner?: string;
  /** The instant that its state is about. */
  readonly at: number;
  readonly error?: string;
  readonly fingerprint?: string;
  readonly cause?: string;
  readonly reason?: string;
  readonly outcome?: string;
}

const MINUTE = 60_000;
const pick = <Value>(of: readonly Value[], n: number): Value => of[n % of.length] as Value;

/** A job whose values follow from its number alone; jobs in a row differ in everything. */
function strewn(n: number, now: number): StrewnJob {
  const state = pick(STATES, n);
  const round = Math.floor(n / STATES.length);
  // Many share their instant, so that pages end among equals.
  const at = now - (state === 'waiting' ? -1 : 1) * (30 + Math.floor(round / 3)) * MINUTE;
  const tenant = pick([undefined, 'acme', 'acme-eu', 'globex'], round);
  const group = pick([undefined, 'g1', 'g2'], round);
  const batch = pick([undefined, undefined, 'b1'], round);
  const correlationId = pick([undefined, `order-${round % 4}`], round);
  const schedule = pick([undefined, undefined, undefined, 'nightly'], round);
  return {
    id: idOf(n + 1, now - (round % 5) * 6 * 60 * MINUTE),
    state,
    type: pick(['mail', 'invoice', 'report'], round),
    worker: pick(['default', 'heavy'], round),
    lane: pick(['default', 'bulk'], Math.floor(round / 2)),
    kind: pick(['async', 'timer'] as const, Math.floor(round / 3)),
    priority: pick([3, -1, 0, 7], round),
    failures: pick([1, 0, 4], round),
    attempts: pick([2, 1, 5], round),
    createdAt: now - (60 + (round % 5)) * MINUTE,
    payload: JSON.stringify({ n, note: pick(['nothing', 'say "Hello"', 'ÄRGER'], round) }),
    at,
    ...(tenant === undefined ? {} : { tenant }),
    ...(group === undefined ? {} : { group }),
    ...(batch === undefined ? {} : { batch }),
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(schedule === undefined ? {} : { schedule }),
    ...(state === 'ready' || state === 'running' ? { lockOwner: `${state === 'ready' ? 'queue/0' : 'run'}/token-${round % 2}` } : {}),
    ...(state === 'dead'
      ? { error: `Timeout of bank ${round % 3}`, fingerprint: `print-${round % 4}`, reason: pick(['failed', 'crash-loop'], round) }
      : {}),
    ...(state === 'suspended' ? { cause: pick(['type#mail', 'breakpoint'], round), reason: pick(['look', 'wait'], round) } : {}),
    ...(state === 'finished' ? { outcome: pick(['completed', 'cancelled', 'skipped'], round) } : {}),
  };
}

function rowOf(job: StrewnJob, now: number): readonly [TableName, Row] {
  const { state, at, error, attempts, lockOwner = '', ...fields } = job;
  const plain = {
    ...fields,
    dueAt: state === 'waiting' || state === 'ready' || state === 'running' ? at : now,
    rev: 4,
    starts: attempts,
    crashes: 0,
    snoozes: 0,
    dispatches: 2,
    chainDepth: 1,
    schemaVersion: 1,
    ...(error === undefined ? {} : { error: { name: 'BankError', message: error, stack: 'BankError\n    at pay (bank.ts:1:1)', at } }),
  } as unknown as Job;
  const lease = { lockExpiresAt: now + MINUTE };
  switch (state) {
    case 'waiting':
      return ['timers', timerRow(plain)];
    case 'parked':
      return ['timers', parkedRow(plain, `hash-${job.type}`, at)];
    case 'suspended':
      return ['suspended', suspendedRow({ ...plain, suspendedAt: at, from: 'jobs' } as never)];
    case 'ready':
      return ['jobs', jobRow({ ...plain, ...lease, lockOwner })];
    case 'running':
      return ['jobs', jobRow({ ...plain, ...lease, lockOwner })];
    case 'dead':
      return ['deadLetters', deadLetterRow({ ...plain, failedAt: at } as never)];
    case 'finished':
      // The rig's clock is in the past, and some emulators delete by their own.
      return ['history', historyRow({ ...plain, finishedAt: at } as never, 36_500)];
  }
}

/** Puts this many jobs into their tables, cycling through all states. */
export async function strewJobs(tables: Tables, now: number, count: number): Promise<readonly StrewnJob[]> {
  const jobs = Array.from({ length: count }, (_, n) => strewn(n, now));
  const rows = new Map<TableName, Row[]>();
  const put = (table: TableName, row: Row): void => void rows.set(table, [...(rows.get(table) ?? []), row]);
  for (const job of jobs) {
    put(...rowOf(job, now));
    if (job.state === 'waiting') put('control', { pk: `moved#${job.id}`, sk: 'moved', due: `${iso(job.at)}#${job.id}` });
    if (job.state !== 'parked') continue;
    put('control', { ...listingKey(`hash-${job.type}`), limit: job.type, n: 1, seenAt: iso(now) });
    put('control', parkedPointerRow(job.id, `hash-${job.type}`, job.at));
  }
  for (const [table, some] of rows) await tables.putAll(table, some);
  return jobs;
}
