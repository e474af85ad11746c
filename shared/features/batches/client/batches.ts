import { type BatchHead, leavesFor, sumCounts } from '../model/batch-progress.ts';
import { BatchUnknownError, Described, InvalidInputError, kindOf, StoreUnavailableError } from '../../../job/errors.ts';
import { hash32 } from '../../../job/hash.ts';
import type { JobType } from '../../../job/job-type.ts';
import { checkText } from '../../../job/names.ts';
import { currentJob } from '../../../ports/job-scope.ts';
import { countsOf, readBatch, readBatchHead } from '../store/batch-rows.ts';
import { cancelBatchRow, checkLineage, type Closed, countedByOpenParent, createBatchRows } from '../store/create-batch.ts';
import { settleBatch } from '../store/settle-batch.ts';
import { batchBuilder, type JobBatch, sealNow } from './batch-builder.ts';
import { type BatchOptions, buildCallbacks, checkBatchOptions, childDefaults } from './batch-options.ts';
import { type BatchProgress, progressOf } from '../model/batch-snapshot.ts';
import { defined } from '../../../job/defined.ts';
import { joinBatch } from './draft-batch.ts';
import { checkArguments } from '../../../client/draft.ts';
import { textsOf } from '../../../client/draft-traits.ts';
import { acceptedOf, type EnqueueManyReport } from '../../../client/enqueue-many.ts';
import type { ClientDeps } from '../../../client/client-deps.ts';

/** Options of a batch that one call creates with its children. */
export interface EnqueueBatchOptions extends BatchOptions {
  /** Called after each 500 children, and after the last ones. Its errors are ignored; a promise that it returns is not awaited. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number; readonly failed: number }) => void;
}

/** A batch that was made in one call. Children that are not in `failed` were accepted, and only those are counted. */
export interface EnqueuedBatch extends EnqueueManyReport {
  readonly id: string;
}

/** What a client does with batches. */
export interface BatchVerbs {
  /** An open batch without children. Two writes, and one for each callback. */
  createBatch(options?: BatchOptions): Promise<JobBatch>;
  /** Creates a batch, adds up to 100,000 children and seals it. If it is interrupted the batch stays open: see `sealBatch`. */
  enqueueBatch<Input, Output>(
    type: JobType<Input, Output>,
    payloads: readonly NoInfer<Input>[],
    options?: EnqueueBatchOptions,
  ): Promise<EnqueuedBatch>;
  /** How a batch is going; undefined when there is none, or it finished more than 30 days ago. One query, or four. */
  batch(id: string): Promise<BatchProgress | undefined>;
  /** Seals a batch whose builder is gone: its children are exactly those that were accepted. Throws BatchUnknownError. */
  sealBatch(id: string): Promise<BatchProgress>;
  /**
   * Seals it, and from within seconds on its children end as cancelled when they are received; running ones finish, and
   * timers are cancelled when they are due. Callbacks fire as usual. Throws BatchUnknownError.
   */
  cancelBatch(id: string): Promise<BatchProgress>;
}

const MAX_CHILDREN = 100_000;

/** The verbs over their dependencies. */
export function batchVerbs(deps: ClientDeps): BatchVerbs {
  return {
    createBatch: async (options = {}) => createBatch(deps, options),
    enqueueBatch: async (type, payloads, options = {}) => {
      if (!Array.isArray(payloads)) throw new InvalidInputError('payloads', kindOf(payloads), 'Give an array, one payload for each child.');
      if (payloads.length > MAX_CHILDREN) {
        throw new InvalidInputError(
          'payloads',
          new Described(`${payloads.length} payloads`),
          `Use at most ${MAX_CHILDREN}; nest batches for more.`,
        );
      }
      checkArguments(type, {});
      checkBatchOptions(options, ['onProgress']);
      return deps.backlogs.admit({ type, count: payloads.length }, async () => enqueueBatch(deps, type, payloads, options), acceptedOf);
    },
    batch: async (id) => {
      const seen = await readBatch(deps.tables, checkBatchId(id));
      if (seen === undefined || isForeign(deps, seen.head)) return undefined;
      return progressOf({ head: seen.head, counts: sumCounts(seen.counting.map(countsOf)) });
    },
    sealBatch: async (id) => {
      await checkOwn(deps, checkBatchId(id));
      return sealNow(deps, id).finally(() => deps.journal.flush());
    },
    cancelBatch: async (id) => {
      await checkOwn(deps, checkBatchId(id));
      const closed: Closed = await cancelBatchRow(deps.tables, id, deps.clock.now());
      const settled = closed === 'not-found' ? undefined : await settleBatch(deps, id);
      deps.journal.flush();
      if (settled === undefined) throw new BatchUnknownError(id);
      return progressOf(settled);
    },
  };
}

async function enqueueBatch<Input, Output>(
  deps: ClientDeps,
  type: JobType<Input, Output>,
  payloads: readonly NoInfer<Input>[],
  { onProgress, ...own }: EnqueueBatchOptions,
): Promise<EnqueuedBatch> {
  const batch = await createBatch({ ...deps, backlogs: deps.backlogs.admitted }, { expected: payloads.length, ...own });
  const report = await batch.enqueueMany(type, payloads, onProgress === undefined ? {} : { onProgress });
  await batch.seal().catch((cause: unknown) => {
    // Only this call has the id, which sealBatch needs.
    throw cause instanceof StoreUnavailableError ? new StoreUnavailableError(`seal of batch ${batch.id}`, cause) : cause;
  });
  return { id: batch.id, ...report };
}

async function createBatch(deps: ClientDeps, options: BatchOptions): Promise<JobBatch> {
  checkBatchOptions(options);
  const now = deps.clock.now();
  const present = currentJob();
  const texts = textsOf(options, { parent: present, tenant: deps.tenant });
  const defaults = childDefaults({ ...options, ...texts });
  const callbacks = await buildCallbacks(deps, { ...options, ...texts });
  const token = deps.entropy.token();
  const id = checkText(options.id, 'id') ?? token;
  const { name } = options;
  const { fields, counted } = await countedByParent(deps, id, options.parent);
  const head: BatchHead = {
    id,
    state: 'open',
    leaves: leavesFor(options.expected),
    maxFailures: options.maxFailures ?? 0,
    createdAt: now,
    ...defined({ name, tenant: texts.tenant }),
    ...fields,
    callbacks: callbacks.map((one) => one.name),
    fired: [],
  };
  await createBatchRows(deps.tables, { head, callbacks, counted, token });
  return batchBuilder(deps, { id, leaves: head.leaves, defaults });
}

/** The parent counts its child from the very moment at which there is one, so it cannot end before. */
async function countedByParent(
  deps: ClientDeps,
  id: string,
  parent: string | undefined,
): Promise<{ readonly fields: Pick<BatchHead, 'parent' | 'parentLeaf'>; readonly counted: ReturnType<typeof countedByOpenParent> }> {
  if (parent === undefined) return { fields: {}, counted: [] };
  await checkLineage(deps.tables, id, parent);
  const present = currentJob();
  if (present?.batch === parent) {
    const { fields, counted = [] } = joinBatch(parent, present);
    return { fields: { parent, parentLeaf: fields.batchLeaf ?? 0 }, counted };
  }
  const head = await readBatchHead(deps.tables, parent);
  if (head === undefined || isForeign(deps, head)) throw new BatchUnknownError(parent);
  const parentLeaf = hash32(id) % head.leaves;
  return { fields: { parent, parentLeaf }, counted: countedByOpenParent(parent, parentLeaf) };
}

function checkBatchId(id: unknown): string {
  const text = checkText(id, 'id');
  if (text === undefined) throw new InvalidInputError('id', id, 'Give the id of a batch.');
  return text;
}

function isForeign({ tenant }: ClientDeps, head: BatchHead): boolean {
  return tenant !== undefined && head.tenant !== tenant;
}

async function checkOwn(deps: ClientDeps, id: string): Promise<void> {
  if (deps.tenant === undefined) return;
  const head = await readBatchHead(deps.tables, id);
  if (head === undefined || isForeign(deps, head)) throw new BatchUnknownError(id);
}
