import { type BatchCallback, BATCH_CALLBACKS } from '../model/batch-progress.ts';
import { defined } from '../../../job/defined.ts';
import type { EnqueueOptions } from '../../../job/enqueue-options.ts';
import type { FollowUp } from '../../../job/job-type.ts';
import { InvalidInputError } from '../../../job/errors.ts';
import { checkGroup, type GroupInput } from '../../../job/group.ts';
import { checkOptions, checkPriority, checkText } from '../../../job/names.ts';
import { LIMITS, utf8Bytes } from '../../../job/size-limits.ts';
import { checkFollowUp } from '../../../client/draft.ts';
import { buildJob } from '../../../client/enqueue.ts';
import type { ClientDeps } from '../../../client/client-deps.ts';
import type { NewJob } from '../../../store/create.ts';
import { callbackJson, type NewCallback } from '../store/create-batch.ts';

/** Options of a batch. `tenant`, `correlationId`, `priority` and `group` are defaults for the children that its builder or `enqueueBatch` adds, the first two for its callbacks too. */
export interface BatchOptions {
  /** An id of your own, at most 256 characters. An id that another batch has is refused. Default: a random id. */
  readonly id?: string;
  /** A name for lists. */
  readonly name?: string;
  /**
   * Enqueued once, when the batch is sealed and all its children have ended: completed, as a dead letter, cancelled or expired. Made by
   * `followUp(type, payload, options)`.
   */
  readonly onCompleted?: FollowUp;
  /** As `onCompleted`, if no child was cancelled or expired, and at most `maxFailures` have failed. */
  readonly onSucceeded?: FollowUp;
  /** Enqueued once, when the batch is sealed and more than `maxFailures` children have failed, while others may still run. */
  readonly onFailed?: FollowUp;
  /** How many failed children are tolerated: dead letters, also deleted ones, and batches that failed. Default 0. */
  readonly maxFailures?: number;
  /** Tenant of the children and callbacks. Default: as for `enqueue`. */
  readonly tenant?: string;
  /** Correlation id of the children and callbacks. Default: as for `enqueue`. */
  readonly correlationId?: string;
  /** Priority of the children. */
  readonly priority?: number;
  /** Group of the children. */
  readonly group?: GroupInput;
  /** A batch that counts this one as a child. It must be open, or be the batch of the current handler's job. */
  readonly parent?: string;
  /** About how many children to expect; `enqueueBatch` knows. For up to 1,000 the counters are spread over 16 rows instead of 64. */
  readonly expected?: number;
}

const NAMES: Readonly<Record<BatchCallback, 'onCompleted' | 'onSucceeded' | 'onFailed'>> = {
  completed: 'onCompleted',
  succeeded: 'onSucceeded',
  failed: 'onFailed',
};
const BATCH_OPTIONS = [
  'id',
  'name',
  'maxFailures',
  'tenant',
  'correlationId',
  'priority',
  'group',
  'parent',
  'expected',
  ...Object.values(NAMES),
];
/** A callback is due when its batch triggers it, exactly once, and is not a child of any batch. */
const NOT_FOR_CALLBACKS = ['delay', 'runAt', 'id', 'key', 'batch'] as const;

/** Refuses options that cannot work, each with its field and fix; `more` are additional options that are allowed. */
export function checkBatchOptions(options: BatchOptions, more: readonly string[] = []): void {
  checkOptions(options, [...BATCH_OPTIONS, ...more], 'options');
  for (const name of ['id', 'name', 'tenant', 'correlationId', 'parent'] as const) checkText(options[name], name);
  checkGroup(options.group);
  if (options.priority !== undefined) checkPriority(options.priority);
  for (const name of ['maxFailures', 'expected'] as const) {
    const count = options[name];
    if (count !== undefined && !(Number.isSafeInteger(count) && count >= 0)) {
      throw new InvalidInputError(name, count, 'Use a whole number, 0 or more.');
    }
  }
  if (options.parent !== undefined && options.parent === options.id) {
    throw new InvalidInputError('parent', options.parent, 'A batch cannot wait for itself. Give it another parent or id.');
  }
  for (const name of BATCH_CALLBACKS) checkCallback(NAMES[name], options[NAMES[name]]);
}

function checkCallback(field: string, callback: FollowUp | undefined): void {
  if (callback === undefined) return;
  checkFollowUp(callback, field);
  for (const name of NOT_FOR_CALLBACKS) {
    const value: unknown = callback.options?.[name];
    if (value !== undefined) throw notForCallbacks(field, name, value);
  }
}

const notForCallbacks = (field: string, name: (typeof NOT_FOR_CALLBACKS)[number], value: unknown): InvalidInputError =>
  new InvalidInputError(`${field}.${name}`, value, 'Leave it out: a callback is enqueued by its batch, once, and belongs to no batch.');

/** Most bytes of a callback's JSON in its row, besides the id of its batch. */
const CALLBACK_BYTES = LIMITS.itemBytes - 2 * 1024;

/** Refuses what `beforeCreate` gave a callback that its options may not have, and a payload for which its row has no room. */
function checkBuilt(field: string, { job, ownId }: NewJob): void {
  if (ownId) throw notForCallbacks(field, 'id', job.id);
  if (job.key !== undefined) throw notForCallbacks(field, 'key', job.key);
  if (job.batch !== undefined) throw notForCallbacks(field, 'batch', job.batch);
  if (job.dueAt > job.createdAt) throw notForCallbacks(field, 'delay', new Date(job.dueAt).toISOString());
  const bytes = utf8Bytes(callbackJson(job));
  if (bytes <= CALLBACK_BYTES) return;
  throw new InvalidInputError(
    `${field}.payload`,
    `${bytes} bytes`,
    `Its batch keeps at most ${CALLBACK_BYTES} bytes of it, with its quotes and backslashes escaped once more. Keep the data in a bucket, and pass its key.`,
  );
}

/** Defaults for every child of the batch. */
export function childDefaults({ tenant, correlationId, priority, group }: BatchOptions): EnqueueOptions {
  const given = Object.entries({ tenant, correlationId, priority, group }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as EnqueueOptions;
}

/** The jobs of the callbacks, checked and built as any job, with the tenant and correlation id of the batch. */
export async function buildCallbacks(deps: ClientDeps, options: BatchOptions): Promise<readonly NewCallback[]> {
  const { tenant, correlationId, priority } = childDefaults(options);
  const built: NewCallback[] = [];
  for (const name of BATCH_CALLBACKS) {
    const callback = options[NAMES[name]];
    if (callback === undefined) continue;
    const { inheritPriority, ...own } = callback.options ?? {};
    const asUrgent = inheritPriority === true && priority !== undefined ? { priority } : {};
    const inherited = defined({ tenant, correlationId });
    const given = { ...inherited, ...asUrgent, ...own, ...defined({ inheritPriority }) };
    const fresh = await buildJob({ ...deps, inline: true }, callback.type, callback.payload, given);
    checkBuilt(NAMES[name], fresh);
    const { job, startWithinMs } = fresh;
    built.push({ name, job, ...defined({ startWithinMs }) });
  }
  return built;
}
