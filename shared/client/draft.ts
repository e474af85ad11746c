import { defined } from '../core/defined.ts';
import { durationMs } from '../core/duration.ts';
import type { UniqueKey } from '../core/enqueue-options.ts';
import { ChainLimitError, DefinitionThrewError, InvalidInputError, kindOf, NightcrewError } from '../core/errors.ts';
import { dueTime } from '../core/instant.ts';
import { FRESH_COUNTERS, type Job, type LeasedJob } from '../core/job.ts';
import { checkJobId, dueAtOf, makeJobId } from '../core/job-id.ts';
import type { AnyJobType } from '../core/job-type.ts';
import { laneOfJob } from '../core/lanes.ts';
import { checkOptions, checkText } from '../core/names.ts';
import { encodePayload } from '../core/payload.ts';
import { currentJob } from '../ports/job-scope.ts';
import { readyRow } from '../store/make-ready.ts';
import type { NewJob } from '../store/create.ts';
import { joinBatch } from '../features/batches/client/draft-batch.ts';
import { type DraftSources, textsOf, traitsOf } from './draft-traits.ts';
import type { BeforeCreate, JobDraft } from './job-draft.ts';
import type { ClientDeps } from './client-deps.ts';

/** Builds the job that would be written, or throws a typed error; writes nothing. `output` is the validated payload. */
export function draftJob(deps: ClientDeps, type: AnyJobType, draft: JobDraft, output: unknown): NewJob {
  const parent = currentJob();
  const { clock, entropy, deployment } = deps;
  const now = clock.now();
  const { settings } = deployment;
  const dueAt = draft.id === undefined ? dueTime(draft, now) : ownDueTime(draft, now);
  const chainDepth = (parent?.chainDepth ?? -1) + 1;
  if (chainDepth > settings.chainLimit) throw new ChainLimitError(chainDepth, settings.chainLimit);
  const worker = knownWorker(deps, type.worker);
  const queues = deployment.workers.get(worker);
  const sources: DraftSources = { parent, queues, traceparent: deps.traceparent, tenant: deps.tenant };
  const kind = dueAt > now + settings.delayHorizonMs ? 'timer' : 'async';
  const traits = traitsOf(type, draft, output, sources);
  const { fields, counted } = joinBatch(draft.batch, parent);
  const job: Job = {
    id: draft.id === undefined ? makeJobId(dueAt, entropy.bytes(10)) : checkJobId(draft.id),
    type: type.name,
    payload: encodePayload(draft.payload),
    kind,
    worker,
    lane: laneOfJob({ kind, priority: traits.priority }, queues),
    dueAt,
    createdAt: now,
    ...traits,
    ...textsOf(draft, sources),
    ...keyFields(draft.key, now),
    ...fields,
    ...FRESH_COUNTERS,
    rev: 0,
    dispatches: 0,
    chainDepth,
    schemaVersion: type.schemaVersion,
  };
  const ownId = draft.id !== undefined;
  const token = entropy.token();
  const rest = { ownId, token, ...defined({ counted }) };
  if (job.kind === 'timer') return { job: { ...job, rev: 1 }, ready: false, ...rest };
  const ready: LeasedJob = readyRow(job, { token, now, redispatchAfterMs: settings.firstRedispatchAfterMs });
  return { job: ready, ready: true, ...rest };
}

/** Runs the `beforeCreate` middleware in order. Anything but a typed error that one throws becomes a DefinitionThrewError. */
export function applyBeforeCreate(draft: JobDraft, middleware: readonly BeforeCreate[]): JobDraft {
  return middleware.reduce((current, before) => {
    try {
      return before(current) ?? current;
    } catch (cause) {
      throw cause instanceof NightcrewError ? cause : new DefinitionThrewError('beforeCreate', draft.type, cause);
    }
  }, draft);
}

/** An id says when its job is first due; a `runAt` that differs would make the job impossible to find. */
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

function knownWorker(deps: ClientDeps, worker: string): string {
  if (deps.deployment.workers.has(worker)) return worker;
  const known = [...deps.deployment.workers.keys()].join(', ');
  throw new InvalidInputError('worker', worker, `This deployment has: ${known}. Add the worker to the JobExecutor, or fix the job type.`);
}

function keyFields(key: UniqueKey | undefined, now: number): Pick<Job, 'key' | 'keyExpiresAt'> {
  const lasting = typeof key === 'object' && key !== null ? key : undefined;
  const text = checkText(lasting === undefined ? key : lasting.value, 'key');
  if (text === undefined) return {};
  return { key: text, ...(lasting === undefined ? {} : { keyExpiresAt: now + durationMs(lasting.for, 'key.for') }) };
}

const ENQUEUE_OPTIONS = [
  'delay',
  'runAt',
  'key',
  'group',
  'exclusive',
  'inheritGroup',
  'tenant',
  'priority',
  'inheritPriority',
  'correlationId',
  'batch',
  'id',
  'retry',
];

/** Refuses what is no job type, and options that are not known; `more` are those that the caller has besides. */
export function checkArguments(type: unknown, options: unknown, more: readonly string[] = []): void {
  if (typeof (type as AnyJobType | undefined)?.traits !== 'function') {
    throw new InvalidInputError('type', kindOf(type), 'Give a job type that defineJob made.');
  }
  checkOptions(options, [...ENQUEUE_OPTIONS, ...more], 'options');
}
