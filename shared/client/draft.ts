import { defined } from '../job/defined.ts';
import { ChainLimitError, DefinitionThrewError, InvalidInputError, kindOf, NightcrewError } from '../job/errors.ts';
import { durationMs, MAX_DURATION_MS } from '../job/duration.ts';
import { dueTime, instantMs } from '../job/instant.ts';
import { LIMITS } from '../job/size-limits.ts';
import { FRESH_COUNTERS, type Job, type LeasedJob } from '../job/job.ts';
import { checkJobId, dueAtOf, makeJobId } from '../job/job-id.ts';
import type { AnyJobType, FollowUp } from '../job/job-type.ts';
import { type CheckedKey, checkKey } from '../job/key-conflict.ts';
import { laneOfJob } from '../job/lanes.ts';
import { checkOptions } from '../job/names.ts';
import { encodePayload } from '../job/payload.ts';
import { presentName } from '../job/worker-names.ts';
import { currentJob } from '../ports/job-scope.ts';
import { placeText } from '../store/group-places.ts';
import { readyRow } from '../store/ready-row.ts';
import type { NewJob } from '../store/create.ts';
import type { ConflictTerms } from '../store/replace-holder.ts';
import { joinBatch } from '../features/batches/client/draft-batch.ts';
import { type DraftSources, textsOf, traitsOf } from './draft-traits.ts';
import { traceOf } from './draft-trace.ts';
import type { BeforeCreate, JobDraft } from './job-draft.ts';
import type { DraftDeps } from './client-deps.ts';

/** Builds the job that would be written, or throws a typed error; writes nothing. `output` is the validated payload. */
export function draftJob(deps: DraftDeps, type: AnyJobType, draft: JobDraft, output: unknown): NewJob {
  const parent = currentJob();
  const { clock, entropy, deployment } = deps;
  const now = clock.now();
  const { settings } = deployment;
  const key = checkKey(draft.key);
  const dueAt = dueAtOfDraft(draft, key, now);
  const chainDepth = (parent?.chainDepth ?? -1) + 1;
  if (chainDepth > settings.chainLimit) throw new ChainLimitError(chainDepth, settings.chainLimit);
  const worker = knownWorker(deps, type.worker);
  const queues = deployment.workers.get(worker);
  const sources: DraftSources = { parent, queues, tenant: deps.tenant, place: placeText(Math.max(dueAt, now), { delayed: dueAt > now }) };
  const kind = dueAt > now + settings.delayHorizonMs ? 'timer' : 'async';
  const traits = traitsOf(type, draft, output, sources);
  const { fields, counted } = joinBatch(draft.batch, parent);
  const startBy = startByOf(type, draft, dueAt);
  const startWithinMs = startBy === undefined || draft.startBy !== undefined ? undefined : startBy - dueAt;
  const job: Job = {
    id: draft.id === undefined ? makeJobId(dueAt, entropy.bytes(10)) : checkJobId(draft.id),
    type: type.name,
    payload: encodePayload(draft.payload, 'payload', type.codec?.payloadBytes),
    kind,
    worker,
    lane: laneOfJob({ kind, priority: traits.priority }, queues),
    dueAt,
    createdAt: now,
    ...defined({ startBy }),
    ...traits,
    ...textsOf(draft, sources),
    ...traceOf(deps, draft, parent),
    ...keyFields(key, now),
    ...fields,
    ...FRESH_COUNTERS,
    rev: 0,
    dispatches: 0,
    chainDepth,
    schemaVersion: type.schemaVersion,
  };
  const ownId = draft.id !== undefined;
  const token = entropy.token();
  const conflict = conflictTerms(draft, key, deps, job);
  const rest = { ownId, token, ...defined({ counted, conflict, startWithinMs }) };
  if (job.kind === 'timer') return { job: { ...job, rev: 1 }, ready: false, ...rest };
  const ready: LeasedJob = readyRow(job, { token, now, redispatchAfterMs: settings.firstRedispatchAfterMs });
  return { job: ready, ready: true, ...rest };
}

/** Runs the `beforeCreate` middleware in order. An error that is not typed becomes a DefinitionThrewError. */
export function applyBeforeCreate(draft: JobDraft, middleware: readonly BeforeCreate[]): JobDraft {
  return middleware.reduce((current, before) => {
    try {
      const changed = before(current);
      if (changed !== undefined) checkOptions(changed, ['type', 'payload', ...ENQUEUE_OPTIONS], 'beforeCreate');
      return changed ?? current;
    } catch (cause) {
      throw cause instanceof NightcrewError ? cause : new DefinitionThrewError('beforeCreate', draft.type, cause);
    }
  }, draft);
}

/** An id contains the first due time; with a different `runAt` the job could not be found. */
function ownDueTime(draft: JobDraft, now: number): number {
  const stamped = dueAtOf(checkJobId(draft.id));
  const given = draft.runAt !== undefined || draft.delay !== undefined;
  if (given && dueTime(draft, now) !== Math.max(stamped, now)) {
    throw new InvalidInputError(
      'id',
      draft.id,
      `Its timestamp is ${new Date(stamped).toISOString()}; make it with client.newId({ runAt }) so that both agree.`,
    );
  }
  dueTime({ runAt: stamped }, now);
  return stamped;
}

function knownWorker(deps: DraftDeps, worker: string): string {
  const { workers } = deps.deployment;
  if (workers.has(worker)) return presentName(workers, worker);
  const known = [...workers.keys()].join(', ');
  throw new InvalidInputError('worker', worker, `This deployment has: ${known}. Add the worker to the JobExecutor, or fix the job type.`);
}

function keyFields(key: CheckedKey | undefined, now: number): Pick<Job, 'key' | 'keyExpiresAt'> {
  if (key === undefined) return {};
  return { key: key.value, ...(key.forMs === undefined ? {} : { keyExpiresAt: now + key.forMs }) };
}

/** When a new job is due: as its options or its own id say, or after the wait of a debounce. */
function dueAtOfDraft(draft: JobDraft, key: CheckedKey | undefined, now: number): number {
  const waitMs = key?.conflict?.waitMs;
  if (waitMs === undefined) return draft.id === undefined ? dueTime(draft, now) : ownDueTime(draft, now);
  for (const field of ['runAt', 'delay'] as const) {
    if (draft[field] !== undefined)
      throw new InvalidInputError(field, draft[field], 'Leave it out: key.debounce says when the job is due.');
  }
  return dueTime({ delay: waitMs }, now);
}

/** The last instant of a first start. Throws InvalidInputError for one before the job is due. */
function startByOf(type: AnyJobType, { startWithin, startBy }: JobDraft, dueAt: number): number | undefined {
  if (startBy === undefined) {
    const withinMs = startWithin === undefined ? type.startWithinMs : durationMs(startWithin, 'startWithin');
    return withinMs === undefined ? undefined : dueAt + withinMs;
  }
  if (startWithin !== undefined) throw new InvalidInputError('startBy', startBy, 'Give startWithin or startBy, not both.');
  const at = instantMs(startBy, 'startBy');
  if (at > dueAt + MAX_DURATION_MS)
    throw new InvalidInputError('startBy', startBy, `Use a time at most ${LIMITS.yearsAhead} years after it is due.`);
  if (at >= dueAt) return at;
  throw new InvalidInputError('startBy', startBy, `The job is due later, at ${new Date(dueAt).toISOString()}, and would never start.`);
}

/** How a conflict over the key is settled; undefined if the job that holds it stays as it is. */
function conflictTerms(
  draft: JobDraft,
  key: CheckedKey | undefined,
  { deployment }: DraftDeps,
  { groupPlace }: Pick<Job, 'groupPlace'>,
): ConflictTerms | undefined {
  if (key?.conflict === undefined) return undefined;
  if (groupPlace !== undefined) {
    throw new InvalidInputError(
      'key.onConflict',
      key.conflict.mode,
      "Leave it out, or group.onFailure: 'block', under which a job keeps its place in the order of its group.",
    );
  }
  for (const field of ['id', 'batch'] as const) {
    if (draft[field] === undefined) continue;
    throw new InvalidInputError(
      field,
      draft[field],
      `Leave it out, or key.onConflict: '${key.conflict.mode}', which may change an existing job.`,
    );
  }
  const { redispatchAfterMs, delayHorizonMs } = deployment.settings;
  return { ...key.conflict, redispatchAfterMs, delayHorizonMs, ...defined({ handlerOf: currentJob()?.id }) };
}

/** Refuses a job that may replace another one, where the other one cannot be read first. `why` completes the sentence. */
export function checkNoConflict(fresh: NewJob, why: string): NewJob {
  if (fresh.conflict === undefined) return fresh;
  throw new InvalidInputError('key.onConflict', fresh.conflict.mode, `Leave it out ${why}, or call client.enqueue.`);
}

const ENQUEUE_OPTIONS = [
  'delay',
  'runAt',
  'startWithin',
  'startBy',
  'key',
  'group',
  'exclusive',
  'inheritGroup',
  'tenant',
  'priority',
  'inheritPriority',
  'correlationId',
  'traceparent',
  'tracestate',
  'batch',
  'id',
  'retry',
];

/** Refuses what is no follow-up, or has fields that there are not. */
export function checkFollowUp(given: unknown, field: string): void {
  checkOptions(given, ['type', 'payload', 'options'], field);
  const { type, options } = given as Partial<FollowUp>;
  checkArguments(type, options ?? {});
}

/** Refuses an invalid job type and unknown options; `more` are additional options that are allowed. */
export function checkArguments(type: unknown, options: unknown, more: readonly string[] = []): void {
  if (typeof (type as AnyJobType | undefined)?.traits !== 'function') {
    throw new InvalidInputError('type', kindOf(type), 'Give a job type that defineJob made.');
  }
  checkOptions(options, [...ENQUEUE_OPTIONS, ...more], 'options');
}
