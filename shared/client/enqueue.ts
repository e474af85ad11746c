import { jobRef } from '../ports/journal.ts';
import type { EnqueueOptions } from '../job/enqueue-options.ts';
import type { LeasedJob } from '../job/job.ts';
import type { AnyJobType } from '../job/job-type.ts';
import { StoreUnavailableError } from '../job/errors.ts';
import { queueLeaseUntil, UNFENCED_WRITE_WINDOW_MS } from '../job/lease.ts';
import type { EncodedPayload } from '../job/payload-codec.ts';
import { validatePayload, validatePayloadNow } from '../job/validate.ts';
import { validateStored, validateStoredNow } from '../job/validate-stored.ts';
import type { WriteWindow } from '../ports/tables.ts';
import { create, type NewJob } from '../store/create.ts';
import { placeInOrder } from '../store/group-places.ts';
import { createOrReplace } from '../store/create-or-replace.ts';
import { sendHints } from '../store/send-hints.ts';
import { applyBeforeCreate, checkArguments, draftJob } from './draft.ts';
import type { ClientDeps, DraftDeps } from './client-deps.ts';

/**
 * An accepted job. `duplicate`: its key or its own id exists already; `id` is that of the job that holds it. `replaced`: that job, `id`, has
 * the new payload and options instead.
 */
export interface Enqueued {
  readonly id: string;
  readonly duplicate: boolean;
  readonly replaced?: true;
}

/** Validates and builds a job; no row is written. */
export async function buildJob(deps: DraftDeps, type: AnyJobType, payload: unknown, options: EnqueueOptions): Promise<NewJob> {
  const draft = applyBeforeCreate({ ...options, type: type.name, payload }, deps.beforeCreate);
  const { output } = await validatePayload(type.schema, type.name, draft.payload);
  const fresh = draftJob(deps, type, draft, output);
  const { job } = fresh;
  await validateStored(type.schema, type.name, job.payload);
  const { codec } = type;
  if (codec === undefined) return fresh;
  const writeBy = deps.clock.now() + WRITE_WITHIN_MS;
  const { id: _id, ...rowless } = job;
  const built = encoded(fresh, await codec.encode(job.payload, deps.inline === true ? rowless : job));
  if (codec.perJob === undefined) return built;
  return { ...built, writeBy, payloadFor: async (id) => codec.encode(job.payload, { ...job, id }) };
}

/** The same without waiting, for `prepare`. */
export function buildJobNow(deps: DraftDeps, type: AnyJobType, payload: unknown, options: EnqueueOptions): NewJob {
  const draft = applyBeforeCreate({ ...options, type: type.name, payload }, deps.beforeCreate);
  const fresh = draftJob(deps, type, draft, validatePayloadNow(type.schema, type.name, draft.payload));
  validateStoredNow(type.schema, type.name, fresh.job.payload);
  return type.codec === undefined ? fresh : encoded(fresh, type.codec.encodeNow(fresh.job.payload, fresh.job));
}

const encoded = (fresh: NewJob, payload: EncodedPayload): NewJob => ({ ...fresh, job: { ...fresh.job, ...payload } });

/** enqueue and schedule: one put, then a hint if the job is due within the delay horizon. */
export async function enqueue(deps: ClientDeps, type: AnyJobType, payload: unknown, options: EnqueueOptions): Promise<Enqueued> {
  checkArguments(type, options);
  const fresh = await buildJob(deps, type, payload, options);
  return deps.backlogs.admit({ type, count: fresh.ready ? 1 : 0 }, async () => enqueueBuilt(deps, fresh), createdOf);
}

/** How many jobs a call created. */
export const createdOf = ({ duplicate, replaced }: Enqueued): number => (duplicate || replaced ? 0 : 1);

/** Writes and dispatches one built job. `window` is that of an earlier attempt to write it, if there was one: it is never opened anew. */
export async function enqueueBuilt(deps: DraftDeps, built: NewJob, window?: Required<WriteWindow>): Promise<Enqueued> {
  const [fresh = built] = await placeInOrder(deps.tables, [built]);
  const now = deps.clock.now();
  const { conflict } = fresh;
  const leased = freshLease(deps, fresh, now);
  const within = window ?? writeWindow(now);
  const created =
    conflict === undefined
      ? await create(deps.tables, leased, now, within)
      : await createOrReplace(deps.tables, { ...leased, conflict }, now, within);
  if (created.created === 'replaced') {
    const { job, ready } = created;
    deps.journal.record({ event: 'replaced', worker: job.worker, job: jobRef(job) });
    await sendHints(deps, ready === undefined ? [] : [ready], now);
    return { id: job.id, duplicate: false, replaced: true };
  }
  if (!created.created) return { id: created.id, duplicate: true };
  deps.journal.record({ event: 'enqueued', worker: fresh.job.worker, job: jobRef(fresh.job) });
  await dispatch(deps, [fresh]);
  return { id: fresh.job.id, duplicate: false };
}

/** The window of puts that nothing fences and that begin now. */
export function writeWindow(now: number): Required<WriteWindow> {
  return { notAfter: now + UNFENCED_WRITE_WINDOW_MS };
}

/** How old a payload may be that is kept outside the row when its row is written. The cleaner looks at none that is younger than a day. */
const WRITE_WITHIN_MS = 3_600_000;

/** Lease and age count from the put, however long the job waited in memory: a producer that was frozen must not shorten the one or add to the other. */
export function freshLease({ deployment }: DraftDeps, fresh: NewJob, now: number): NewJob {
  if (fresh.writeBy !== undefined && now > fresh.writeBy) {
    throw new StoreUnavailableError(`enqueue of ${fresh.job.id}`, new Error('its payload was stored too long ago'));
  }
  if (!fresh.ready) return { ...fresh, job: { ...fresh.job, createdAt: now } };
  const lockExpiresAt = queueLeaseUntil(now, fresh.job.dueAt, deployment.settings.firstRedispatchAfterMs);
  return { ...fresh, job: { ...(fresh.job as LeasedJob), createdAt: now, lockExpiresAt } };
}

/** Sends the hints of those jobs that are ready; timers need none. */
export async function dispatch(deps: DraftDeps, fresh: readonly NewJob[]): Promise<void> {
  const ready = fresh.filter((one) => one.ready).map((one) => one.job as LeasedJob);
  await sendHints(deps, ready, deps.clock.now());
}
