import { defined } from '../job/defined.ts';
import { jobRef } from '../ports/journal.ts';
import type { EnqueueOptions } from '../job/enqueue-options.ts';
import { InvalidInputError, kindOf, StoreRefusedError, StoreUnavailableError } from '../job/errors.ts';
import type { AnyJobType } from '../job/job-type.ts';
import { keyToCancel } from '../job/unique-key.ts';
import type { WriteWindow } from '../ports/tables.ts';
import { type NewJob, putOf } from '../store/create.ts';
import { mapLimited } from '../job/map-limited.ts';
import { checkArguments } from './draft.ts';
import { buildJob, dispatch, enqueueBuilt, freshLease, writeWindow } from './enqueue.ts';
import { reportProgress } from './report-progress.ts';
import type { ClientDeps } from './client-deps.ts';

/** Options of a bulk enqueue, for all its jobs. */
export interface EnqueueManyOptions<Payload = unknown> extends Omit<EnqueueOptions, 'id' | 'key'> {
  /** Gives the unique key of a job. A job with a key is written by itself. */
  readonly keyOf?: (payload: Payload, index: number) => EnqueueOptions['key'];
  /** Gives the own id of a job. A job with an own id is written by itself. */
  readonly idOf?: (payload: Payload, index: number) => string | undefined;
  /** Called after each 500 jobs, and after the last ones. Its errors are ignored; a promise that it returns is not awaited. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number; readonly failed: number }) => void;
}

/** The result of a bulk enqueue. Jobs that are not in `failed` are accepted; a failed one with a retryable error may have been accepted. */
export interface EnqueueManyReport {
  readonly enqueued: number;
  readonly duplicates: number;
  /** Ids by index of the payload; undefined where the job failed. */
  readonly ids: readonly (string | undefined)[];
  readonly failed: readonly { readonly index: number; readonly error: Error }[];
}

/** Each chunk is a verb of its own: its puts have their own write window. Its hints go out while the next one is put, and before the one after that is. */
const CHUNK = 500;
const ONE_BY_ONE = 16;
const CALLBACKS = ['keyOf', 'idOf', 'onProgress'] as const;

/** Enqueues any number of jobs. An invalid payload fails alone; a store that does not answer fails what it did not take. */
export async function enqueueMany<Payload>(
  deps: ClientDeps,
  type: AnyJobType,
  payloads: readonly Payload[],
  options: EnqueueManyOptions<Payload>,
): Promise<EnqueueManyReport> {
  checkArguments(type, options, CALLBACKS);
  for (const name of CALLBACKS) {
    const callback: unknown = options[name];
    if (callback !== undefined && typeof callback !== 'function') throw new InvalidInputError(name, callback, 'Give a function.');
  }
  if (!Array.isArray(payloads)) throw new InvalidInputError('payloads', kindOf(payloads), 'Give an array, one payload for each job.');
  const addition = { type, count: payloads.length, when: options };
  return deps.backlogs.admit(addition, async () => enqueueChunks(deps, type, payloads, options), acceptedOf);
}

/** How many jobs a bulk enqueue created, or may have created. */
export const acceptedOf = ({ enqueued, failed }: EnqueueManyReport): number =>
  enqueued + failed.filter(({ error }) => error instanceof StoreUnavailableError).length;

async function enqueueChunks<Payload>(
  deps: ClientDeps,
  type: AnyJobType,
  payloads: readonly Payload[],
  options: EnqueueManyOptions<Payload>,
): Promise<EnqueueManyReport> {
  const ids: (string | undefined)[] = Array.from({ length: payloads.length });
  const failed: { index: number; error: Error }[] = [];
  let duplicates = 0;
  let sending: Promise<void> = Promise.resolve();
  for (let start = 0; start < payloads.length; start += CHUNK) {
    const chunk = payloads.slice(start, start + CHUNK);
    const { outcomes, sent } = await enqueueChunk(deps, type, { payloads: chunk, start, before: sending }, options);
    sending = sent;
    for (const [offset, outcome] of outcomes.entries()) {
      if (outcome instanceof Error) failed.push({ index: start + offset, error: outcome });
      else {
        ids[start + offset] = outcome.id;
        if (outcome.duplicate) duplicates++;
      }
    }
    reportProgress(options.onProgress, { done: Math.min(start + CHUNK, payloads.length), total: payloads.length, failed: failed.length });
  }
  await sending;
  return { enqueued: payloads.length - failed.length - duplicates, duplicates, ids, failed };
}

type Outcome = { readonly id: string; readonly duplicate: boolean } | Error;

interface Chunk<Payload> {
  readonly payloads: readonly Payload[];
  readonly start: number;
  /** The hints of the chunk before this one. */
  readonly before: Promise<void>;
}

interface ChunkPut {
  readonly outcomes: readonly Outcome[];
  /** When its hints have been sent. */
  readonly sent: Promise<void>;
}

async function enqueueChunk<Payload>(
  deps: ClientDeps,
  type: AnyJobType,
  { payloads, start, before }: Chunk<Payload>,
  options: EnqueueManyOptions<Payload>,
): Promise<ChunkPut> {
  const { keyOf, idOf, onProgress: _progress, ...common } = options;
  const outcomes: Outcome[] = Array.from({ length: payloads.length });
  const plain: Drafted[] = [];
  const single: Drafted[] = [];
  // Payloads that go to a store of their own go there side by side.
  const built = await mapLimited(payloads, type.codec?.perJob === undefined ? 1 : ONE_BY_ONE, async (payload, offset) => {
    try {
      const key = keyOf?.(payload, start + offset);
      const id = idOf?.(payload, start + offset);
      const own = defined({ key, id });
      return await buildJob(deps, type, payload, { ...common, ...own });
    } catch (error) {
      outcomes[offset] = asError(error);
      return undefined;
    }
  });
  for (const [offset, fresh] of built.entries()) {
    if (fresh === undefined) continue;
    const isSingle = fresh.ownId || fresh.job.key !== undefined || fresh.counted !== undefined || fresh.job.groupPlace !== undefined;
    (isSingle ? single : plain).push({ offset, fresh });
  }
  const accepted = await putPlain(deps, plain, outcomes);
  await before;
  const sent = dispatch(deps, accepted);
  // The caller that awaits it gets the error; until then others are put.
  sent.catch(() => {});
  await mapLimited(inOrder(single), ONE_BY_ONE, async (some) => {
    for (const { offset, fresh } of some) outcomes[offset] = await enqueueBuilt(deps, fresh).catch((error: unknown) => asError(error));
  });
  return { outcomes, sent };
}

interface Drafted {
  readonly offset: number;
  readonly fresh: NewJob;
}

/** Jobs that keep the order of their group, or replace the holder of one key, are written one after another, the others side by side. */
function inOrder(single: readonly Drafted[]): readonly (readonly Drafted[])[] {
  const rows = new Map<string | Drafted, Drafted[]>();
  for (const one of single) {
    const { conflict, job } = one.fresh;
    const { group, groupPlace } = job;
    const inGroup = groupPlace === undefined || group === undefined ? one : group;
    const row = conflict === undefined ? inGroup : (keyToCancel(job) ?? one);
    rows.set(row, [...(rows.get(row) ?? []), one]);
  }
  return [...rows.values()];
}

/** Gives back the jobs that were taken together; their hints are still to be sent. */
async function putPlain(deps: ClientDeps, plain: readonly Drafted[], outcomes: Outcome[]): Promise<readonly NewJob[]> {
  const accepted: NewJob[] = [];
  for (const ready of [true, false]) {
    const some = plain.filter(({ fresh }) => fresh.ready === ready);
    if (some.length === 0) continue;
    const window = writeWindow(deps.clock.now());
    const refused = await putRows(deps, some, window);
    if (refused === undefined) {
      await askOneByOne(deps, some, { window, outcomes });
      continue;
    }
    for (const { offset, fresh } of some) {
      const { id } = fresh.job;
      if (!refused.has(id)) accepted.push(fresh);
      outcomes[offset] = refused.has(id)
        ? new StoreUnavailableError(`enqueue of ${id}`, new Error('not taken after several tries'))
        : { id, duplicate: false };
    }
  }
  if (accepted.length > 0) {
    const jobs = accepted.map(({ job }) => jobRef(job));
    deps.journal.record({ event: 'enqueued', worker: accepted[0]?.job.worker ?? '', jobs, count: accepted.length });
  }
  return accepted;
}

/** Within the window of the batch: a job that was written with it may be running by the time that a later put would arrive. */
async function askOneByOne(
  deps: ClientDeps,
  some: readonly Drafted[],
  { window, outcomes }: { readonly window: Required<WriteWindow>; readonly outcomes: Outcome[] },
): Promise<void> {
  await mapLimited(some, ONE_BY_ONE, async ({ offset, fresh }) => {
    const late = deps.clock.now() > window.notAfter;
    outcomes[offset] = late
      ? new StoreUnavailableError(`enqueue of ${fresh.job.id}`, new Error('its batch was refused, and its write window has closed'))
      : await enqueueBuilt(deps, fresh, window).catch((error: unknown) => asError(error));
  });
}

/** The ids that were not taken; undefined when the store refused a whole batch, so that each job has to be asked for by itself. */
async function putRows(
  deps: ClientDeps,
  some: readonly Drafted[],
  window: Required<WriteWindow>,
): Promise<ReadonlySet<string> | undefined> {
  const now = deps.clock.now();
  try {
    const puts = some.map(({ fresh }) => putOf(freshLease(deps, fresh, now)));
    const rows = puts.map(({ row }) => row);
    const left = await deps.tables.putAll(puts[0]?.table ?? 'jobs', rows, window);
    return new Set(left.map((row) => row['id'] as string));
  } catch (error) {
    if (error instanceof StoreRefusedError) return undefined;
    return new Set(some.map(({ fresh }) => fresh.job.id));
  }
}

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
