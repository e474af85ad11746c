import { defined } from '../../../job/defined.ts';
import { IdInUseError, InvalidInputError } from '../../../job/errors.ts';
import { type Instant, instantMs, iso } from '../../../job/instant.ts';
import { UNFENCED_WRITE_WINDOW_MS } from '../../../job/lease.ts';
import type { LeasedJob } from '../../../job/job.ts';
import { mapLimited } from '../../../job/map-limited.ts';
import { checkOptions, checkText } from '../../../job/names.ts';
import { jobRef } from '../../../ports/journal.ts';
import { create } from '../../../store/create.ts';
import { readyRow } from '../../../store/ready-row.ts';
import { sendHints } from '../../../store/send-hints.ts';
import type { AuditContext } from '../../../operator/act.ts';
import type { OperatorDeps } from '../../../operator/operator-deps.ts';
import { backfilled } from '../model/backfill.ts';
import { checkScheduleName } from '../model/definition.ts';
import { backfillJob, type Planned, type Schedule } from '../model/schedule.ts';
import { readSchedule } from '../store/schedules.ts';
import { checkWorker } from './check-worker.ts';

/** Which occurrences of the past to enqueue, and how. */
export interface BackfillOptions extends AuditContext {
  /** First nominal time of the range, which it includes. */
  readonly from: Instant;
  /** Last nominal time of the range, which it includes. Not later than now. */
  readonly to: Instant;
  /** Occurrences of one call, at most 1,000. Default 1,000. The report says where to continue. */
  readonly limit?: number;
  /** Without it nothing is written: the report says which occurrences there are. */
  readonly apply?: boolean;
  /** Jobs that become due in a second. One call takes as many as are due within the delay horizon. Default: all are due at once. */
  readonly ratePerSecond?: number;
}

/** What a backfill did, or would do. */
export interface BackfillReport {
  readonly applied: boolean;
  /** Occurrences that the call took, with the nominal times of the first and the last one. */
  readonly count: number;
  readonly first?: Date;
  readonly last?: Date;
  /** Jobs that were created. */
  readonly enqueued: number;
  /** Occurrences that were left alone because their job is in some table: it ran, failed, or has yet to run. */
  readonly known: number;
  /** Give it as `from` to continue; absent when the range is done. */
  readonly next?: Date;
  /** The first occurrence of the range that the schedule has yet to run or leave out by itself; it and those after it were not taken. */
  readonly undecided?: Date;
}

const MOST = 1_000;
const MAX_A_SECOND = 1_000;
const PARALLEL = 8;
/** Jobs of which the hints are sent together. */
const CHUNK = 40;

/** Observes a backfill that writes: before the first job, and when it failed half-way. `of` names the schedule's tenant and the range. */
export interface BackfillWatch {
  begins(of: { readonly range: string; readonly tenant?: string }): Promise<void>;
  fails(enqueued: number): Promise<void>;
}

/** Enqueues the occurrences of a past range that are in no table, or counts them. Undefined for an unknown schedule. */
export async function backfill(
  deps: OperatorDeps,
  name: string,
  options: BackfillOptions,
  watch: BackfillWatch,
): Promise<BackfillReport | undefined> {
  const { range, apply, everyMs } = checked(deps, name, options);
  const schedule = await readSchedule(deps.tables, name);
  if (schedule === undefined) return undefined;
  checkWorker(deps, schedule.definition);
  const { occurrences, next, undecided } = backfilled(schedule, range, deps.clock.now());
  const [first, last] = [occurrences[0]?.nominal, occurrences.at(-1)?.nominal];
  const report = {
    count: occurrences.length,
    ...defined({ first: dateOf(first), last: dateOf(last), next: dateOf(next), undecided: dateOf(undecided) }),
  };
  if (!apply || first === undefined || last === undefined) return { applied: apply, ...report, enqueued: 0, known: 0 };
  await watch.begins({ range: `${iso(first)} to ${iso(last)}`, ...defined({ tenant: schedule.definition.tenant }) });
  const counted = { enqueued: 0, known: 0 };
  try {
    await enqueueAll(deps, schedule, { occurrences, everyMs, counted });
  } catch (error) {
    await watch.fails(counted.enqueued);
    throw error;
  }
  return { applied: true, ...report, ...counted };
}

const dateOf = (at: number | undefined): Date | undefined => (at === undefined ? undefined : new Date(at));

function checked({ clock, deployment }: OperatorDeps, name: string, options: BackfillOptions) {
  checkScheduleName(name);
  checkOptions(options, ['from', 'to', 'limit', 'apply', 'ratePerSecond', 'actor', 'reason'], 'options');
  for (const name of ['actor', 'reason'] as const) checkText(options[name], name);
  const { limit = MOST, apply = false, ratePerSecond } = options;
  const [from, to] = [instantMs(options.from, 'from'), instantMs(options.to, 'to')];
  if (to < from) throw new InvalidInputError('to', options.to, 'It is before from. Use a later time.');
  if (to > clock.now())
    throw new InvalidInputError('to', options.to, 'It is not past. The schedule itself runs what is to come; use now at the latest.');
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST) {
    throw new InvalidInputError('limit', limit, `Use a whole number from 1 to ${MOST}; the report says where to continue.`);
  }
  if (typeof apply !== 'boolean') throw new InvalidInputError('apply', apply, 'Use true to enqueue, or leave it out.');
  if (ratePerSecond !== undefined && !(typeof ratePerSecond === 'number' && ratePerSecond >= 0.01 && ratePerSecond <= MAX_A_SECOND)) {
    throw new InvalidInputError('ratePerSecond', ratePerSecond, `Use jobs a second, from 0.01 to ${MAX_A_SECOND}, or leave it out.`);
  }
  const everyMs = ratePerSecond === undefined ? 0 : 1_000 / ratePerSecond;
  // What is due later would be a timer.
  const within = everyMs === 0 ? limit : Math.min(limit, Math.floor(deployment.settings.delayHorizonMs / everyMs) + 1);
  return { range: { from, to, limit: within }, apply, everyMs };
}

/** The occurrences to enqueue, and what became of them so far. */
interface Enqueuing {
  readonly occurrences: readonly Planned[];
  readonly everyMs: number;
  readonly counted: { enqueued: number; known: number };
}

/** Occurrences are enqueued in their order, and hints are sent as soon as some are: a call that ends half-way leaves few to the sweeper. */
async function enqueueAll(deps: OperatorDeps, schedule: Schedule, { occurrences, everyMs, counted }: Enqueuing): Promise<void> {
  const begun = deps.clock.now();
  for (let from = 0; from < occurrences.length; from += CHUNK) {
    const chunk = occurrences.slice(from, from + CHUNK);
    const fresh: LeasedJob[] = [];
    const enqueue = async (occurrence: Planned, index: number): Promise<void> => {
      const dueAt = begun + Math.floor((from + index) * everyMs);
      const job = await enqueueOne(deps, schedule, { ...occurrence, dueAt });
      if (job === undefined) counted.known += 1;
      else {
        counted.enqueued += 1;
        fresh.push(job);
      }
    };
    try {
      await mapLimited(chunk, PARALLEL, enqueue);
    } finally {
      await sendHints(deps, fresh, deps.clock.now());
    }
  }
}

/** Creates the job of an occurrence, if its id is in no table; undefined otherwise. */
async function enqueueOne(deps: OperatorDeps, { definition }: Schedule, occurrence: Planned): Promise<LeasedJob | undefined> {
  const { tables, clock, entropy, deployment, journal } = deps;
  const now = clock.now();
  const token = entropy.token();
  const queues = deployment.workers.get(definition.worker);
  const job = readyRow(backfillJob(definition, occurrence, now, queues), {
    token,
    now,
    redispatchAfterMs: deployment.settings.firstRedispatchAfterMs,
  });
  try {
    const { created } = await create(tables, { job, ready: true, ownId: true, token }, now, { notAfter: now + UNFENCED_WRITE_WINDOW_MS });
    if (!created) return undefined;
  } catch (error) {
    // It failed for good, or its schedule has had another payload since.
    if (error instanceof IdInUseError) return undefined;
    throw error;
  }
  journal.record({ event: 'enqueued', worker: job.worker, job: jobRef(job) });
  return job;
}
