import { jobRef } from '../ports/journal.ts';
import type { EnqueueOptions } from '../core/enqueue-options.ts';
import type { LeasedJob } from '../core/job.ts';
import type { AnyJobType } from '../core/job-type.ts';
import { queueLeaseUntil, UNFENCED_WRITE_WINDOW_MS } from '../core/lease.ts';
import { validatePayload, validatePayloadNow } from '../core/validate.ts';
import { validateStored, validateStoredNow } from '../core/validate-stored.ts';
import type { WriteWindow } from '../ports/tables.ts';
import { create, type NewJob } from '../store/create.ts';
import { sendHints } from '../store/send-hints.ts';
import { applyBeforeCreate, checkArguments, draftJob } from './draft.ts';
import type { ClientDeps } from './client-deps.ts';

/** An accepted job. `duplicate`: its key or its own id exists already; `id` is that of the job that holds it. */
export interface Enqueued {
  readonly id: string;
  readonly duplicate: boolean;
}

/** Validates and builds a job; nothing is written. */
export async function buildJob(deps: ClientDeps, type: AnyJobType, payload: unknown, options: EnqueueOptions): Promise<NewJob> {
  const draft = applyBeforeCreate({ ...options, type: type.name, payload }, deps.beforeCreate);
  const { output } = await validatePayload(type.schema, type.name, draft.payload);
  const fresh = draftJob(deps, type, draft, output);
  await validateStored(type.schema, type.name, fresh.job.payload);
  return fresh;
}

/** The same without waiting, for `prepare`. */
export function buildJobNow(deps: ClientDeps, type: AnyJobType, payload: unknown, options: EnqueueOptions): NewJob {
  const draft = applyBeforeCreate({ ...options, type: type.name, payload }, deps.beforeCreate);
  const fresh = draftJob(deps, type, draft, validatePayloadNow(type.schema, type.name, draft.payload));
  validateStoredNow(type.schema, type.name, fresh.job.payload);
  return fresh;
}

/** enqueue and schedule: one put, then a hint if the job is due within the delay horizon. */
export async function enqueue(deps: ClientDeps, type: AnyJobType, payload: unknown, options: EnqueueOptions): Promise<Enqueued> {
  checkArguments(type, options);
  const fresh = await buildJob(deps, type, payload, options);
  return enqueueBuilt(deps, fresh);
}

/** Writes and dispatches one built job. `window` is that of an earlier attempt to write it, if there was one: it is never opened anew. */
export async function enqueueBuilt(deps: ClientDeps, fresh: NewJob, window?: Required<WriteWindow>): Promise<Enqueued> {
  const now = deps.clock.now();
  const created = await create(deps.tables, freshLease(deps, fresh, now), now, window ?? writeWindow(now));
  if (!created.created) return { id: created.id, duplicate: true };
  deps.journal.record({ event: 'enqueued', worker: fresh.job.worker, job: jobRef(fresh.job) });
  await dispatch(deps, [fresh]);
  return { id: fresh.job.id, duplicate: false };
}

/** The window of puts that nothing fences and that begin now. */
export function writeWindow(now: number): Required<WriteWindow> {
  return { notAfter: now + UNFENCED_WRITE_WINDOW_MS };
}

/** Lease and age count from the put, however long the job waited in memory: a producer that was frozen must not shorten the one or add to the other. */
export function freshLease({ deployment }: ClientDeps, fresh: NewJob, now: number): NewJob {
  if (!fresh.ready) return { ...fresh, job: { ...fresh.job, createdAt: now } };
  const lockExpiresAt = queueLeaseUntil(now, fresh.job.dueAt, deployment.settings.firstRedispatchAfterMs);
  return { ...fresh, job: { ...(fresh.job as LeasedJob), createdAt: now, lockExpiresAt } };
}

/** Sends the hints of those jobs that are ready; timers need none. */
export async function dispatch(deps: ClientDeps, fresh: readonly NewJob[]): Promise<void> {
  const ready = fresh.filter((one) => one.ready).map((one) => one.job as LeasedJob);
  await sendHints(deps, ready, deps.clock.now());
}
