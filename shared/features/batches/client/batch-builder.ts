import { jobRef } from '../../../ports/journal.ts';
import type { EnqueueOptions } from '../../../job/enqueue-options.ts';
import { BatchUnknownError, InvalidInputError, kindOf, StoreUnavailableError } from '../../../job/errors.ts';
import { hash32 } from '../../../job/hash.ts';
import { mapLimited } from '../../../job/map-limited.ts';
import type { AnyJobType, JobType } from '../../../job/job-type.ts';
import { addChildren, countedByBuilder, packChildren } from '../store/add-children.ts';
import { sealBatchRow } from '../store/create-batch.ts';
import type { NewJob } from '../../../store/create.ts';
import { settleBatch } from '../store/settle-batch.ts';
import { type BatchProgress, progressOf } from '../model/batch-snapshot.ts';
import { defined } from '../../../job/defined.ts';
import { checkArguments, checkNoConflict } from '../../../client/draft.ts';
import { buildJob, createdOf, dispatch, type Enqueued, enqueueBuilt, freshLease } from '../../../client/enqueue.ts';
import { acceptedOf, type EnqueueManyOptions, type EnqueueManyReport } from '../../../client/enqueue-many.ts';
import { reportProgress } from '../../../client/report-progress.ts';
import type { ClientDeps } from '../../../client/client-deps.ts';

/** Adds children to a batch until it is sealed. Children may run before. */
export interface JobBatch {
  readonly id: string;
  /** Adds one child: one transaction. Throws BatchClosedError once the batch is sealed or cancelled. */
  enqueue<Input, Output>(type: JobType<Input, Output>, payload: NoInfer<Input>, options?: EnqueueOptions): Promise<Enqueued>;
  /** Adds any number of children, up to 98 in a transaction; those with a key, an own id or a group that blocks one by one. One that is not accepted is reported. */
  enqueueMany<Input, Output>(
    type: JobType<Input, Output>,
    payloads: readonly NoInfer<Input>[],
    options?: EnqueueManyOptions<NoInfer<Input>>,
  ): Promise<EnqueueManyReport>;
  /**
   * No more children come from here: from now on callbacks fire. Safe to repeat. After a StoreUnavailableError the batch may still
   * be open: its children run, its callbacks wait until it is sealed.
   */
  seal(): Promise<BatchProgress>;
}

/** What a builder adds to. */
export interface OpenBatch {
  readonly id: string;
  readonly leaves: number;
  readonly defaults: EnqueueOptions;
}

const SLICE = 500;
const BUILT_AT_ONCE = 16;
const CALLBACKS = ['keyOf', 'idOf', 'onProgress'] as const;

/** A builder of a batch that was just created. Its writes follow one another, however it is called. */
export function batchBuilder(deps: ClientDeps, batch: OpenBatch): JobBatch {
  let turn: Promise<unknown> = Promise.resolve();
  let known: readonly (string | undefined)[] = [undefined];
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = turn.then(work, work);
    turn = result;
    return result;
  };
  const put = (children: readonly NewJob[]): Promise<void> =>
    inTurn(async () => {
      const token = deps.entropy.token();
      try {
        await addChildren(
          deps.tables,
          batch.id,
          children.map((child) => freshLease(deps, child, deps.clock.now())),
          { token, known },
        );
        known = [token];
      } catch (error) {
        if (error instanceof StoreUnavailableError) known = [...known, token];
        throw error;
      }
      deps.journal.record({
        event: 'enqueued',
        worker: children[0]?.job.worker ?? '',
        jobs: children.map(({ job }) => jobRef(job)),
        count: children.length,
      });
      await dispatch(deps, children);
    });
  const build = async (type: AnyJobType, payload: unknown, options: EnqueueOptions): Promise<NewJob> =>
    asChild(batch, checkNoConflict(await buildJob(deps, type, payload, { ...batch.defaults, ...options }), 'of a job in a batch'));
  const alone = (child: NewJob): Promise<Enqueued> =>
    inTurn(async () => enqueueBuilt(deps, { ...child, counted: countedByBuilder(batch.id) }));
  const one = async (child: NewJob): Promise<Enqueued> => {
    if (isSingle(child)) return alone(child);
    await put([child]);
    return { id: child.job.id, duplicate: false };
  };
  return {
    id: batch.id,
    enqueue: async (type, payload, options = {}) => {
      checkChild(type, options);
      const child = await build(type, payload, options);
      return deps.backlogs
        .admit({ type, count: child.ready ? 1 : 0 }, async () => one(child), createdOf)
        .finally(() => deps.journal.flush());
    },
    enqueueMany: async (type, payloads, options = {}) => {
      checkChild(type, options, CALLBACKS);
      if (!Array.isArray(payloads)) throw new InvalidInputError('payloads', kindOf(payloads), 'Give an array, one payload for each job.');
      const atOnce = type.codec?.perJob === undefined ? 1 : BUILT_AT_ONCE;
      const writes = { atOnce, build: (payload: unknown, own: EnqueueOptions) => build(type, payload, own), put, one };
      const add = async () => addMany(writes, payloads, options as EnqueueManyOptions);
      return deps.backlogs.admit({ type, count: payloads.length, when: options }, add, acceptedOf).finally(() => deps.journal.flush());
    },
    seal: () => inTurn(() => sealNow(deps, batch.id)).finally(() => deps.journal.flush()),
  };
}

/** Seals the batch, and settles it if all its children have ended by then. Throws BatchUnknownError. */
export async function sealNow(deps: ClientDeps, id: string): Promise<BatchProgress> {
  if ((await sealBatchRow(deps.tables, id, deps.clock.now())) === 'not-found') throw new BatchUnknownError(id);
  const settled = await settleBatch(deps, id);
  if (settled === undefined) throw new BatchUnknownError(id);
  return progressOf(settled);
}

function checkChild(type: unknown, options: EnqueueOptions, more: readonly string[] = []): void {
  checkArguments(type, options, more);
  if (options.batch !== undefined) throw new InvalidInputError('batch', options.batch, 'Leave it out: the builder knows its batch.');
}

/** Whether it needs a transaction of its own: others may have its key or id, or a place in its group. */
function isSingle({ ownId, job }: NewJob): boolean {
  return ownId || job.key !== undefined || job.groupPlace !== undefined;
}

/** The builder counts the child, even inside a handler. */
function asChild({ id, leaves }: OpenBatch, fresh: NewJob): NewJob {
  const { counted: _counted, ...rest } = fresh;
  return { ...rest, job: { ...fresh.job, batch: id, batchLeaf: hash32(fresh.job.id) % leaves } };
}

interface ChildWrites {
  /** How many are built side by side: several where each waits for a store of payloads. */
  readonly atOnce: number;
  readonly build: (payload: unknown, options: EnqueueOptions) => Promise<NewJob>;
  readonly put: (children: readonly NewJob[]) => Promise<void>;
  readonly one: (child: NewJob) => Promise<Enqueued>;
}

async function addMany(writes: ChildWrites, payloads: readonly unknown[], options: EnqueueManyOptions): Promise<EnqueueManyReport> {
  const { keyOf, idOf, onProgress, ...common } = options;
  const ids: (string | undefined)[] = Array.from({ length: payloads.length });
  const failed: { readonly index: number; readonly error: Error }[] = [];
  let duplicates = 0;
  const fail = (index: number, error: unknown): void =>
    void failed.push({ index, error: error instanceof Error ? error : new Error(String(error)) });
  for (let start = 0; start < payloads.length; start += SLICE) {
    const end = Math.min(start + SLICE, payloads.length);
    const indexOf = new Map<NewJob, number>();
    const built = await mapLimited(payloads.slice(start, end), writes.atOnce, async (payload, offset) => {
      const index = start + offset;
      try {
        const [key, id] = [keyOf?.(payload, index), idOf?.(payload, index)];
        const own = defined({ key, id });
        return await writes.build(payload, { ...common, ...own });
      } catch (error) {
        fail(index, error);
        return undefined;
      }
    });
    for (const [offset, child] of built.entries()) if (child !== undefined) indexOf.set(child, start + offset);
    const children = [...indexOf.keys()];
    const single = children.filter(isSingle);
    for (const chunk of packChildren(children.filter((child) => !single.includes(child)))) {
      try {
        await writes.put(chunk);
        for (const child of chunk) ids[indexOf.get(child) ?? 0] = child.job.id;
      } catch (error) {
        for (const child of chunk) fail(indexOf.get(child) ?? 0, error);
      }
    }
    for (const child of single) {
      try {
        const { id, duplicate } = await writes.one(child);
        ids[indexOf.get(child) ?? 0] = id;
        if (duplicate) duplicates++;
      } catch (error) {
        fail(indexOf.get(child) ?? 0, error);
      }
    }
    reportProgress(onProgress, { done: end, total: payloads.length, failed: failed.length });
  }
  return { enqueued: payloads.length - failed.length - duplicates, duplicates, ids, failed: failed.toSorted((a, b) => a.index - b.index) };
}
