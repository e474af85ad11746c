import type { JobClient } from '../../../../shared/client/job-client.ts';
import { NonRetryableError } from '../../../../shared/job/errors.ts';
import type { AnyJobType, HandledJob, JobContext, Verdict } from '../../../../shared/job/job-type.ts';
import { followUp } from '../../../../shared/job/follow-up.ts';
import type { PayloadStore } from '../../../../shared/ports/payload-store.ts';
import { complete, continueWith, fail, snooze } from '../../../../shared/job/verdict.ts';
import { appliedLimits } from '../../../../shared/job/limit.ts';
import type { LimitInvariants } from '../check/limit-invariants.ts';
import type { RunEnd, RunLedger } from '../check/run-ledger.ts';
import type { ScheduleInvariants } from '../check/schedule-invariants.ts';
import { never, type SimProcess } from '../world/sim-process.ts';
import { JOB_TYPES, ladenType, OLDER_PATIENT, type TypeName, type WorkItem } from './work-item-jobs.ts';

/** What the handlers of one sandbox work with. */
export interface HandlerDeps {
  readonly process: SimProcess;
  readonly ledger: RunLedger;
  readonly schedules: ScheduleInvariants;
  readonly limits: LimitInvariants;
  readonly client: JobClient;
  readonly worker: string;
  /** The older version does not know the type `later`, nor payloads of version 2. */
  readonly version: 1 | 2;
  /** A call to somebody else, whose reply is no timer. Default: none. */
  readonly callOut?: (() => Promise<void>) | undefined;
  /** The store of large payloads, in worlds that have one. */
  readonly payloads?: PayloadStore | undefined;
  /** A poison job killed its process. */
  readonly died: () => void;
  /** A job that a handler enqueued was accepted. */
  readonly accepted: (id: string) => void;
}

class Conflict extends Error {
  override readonly name = 'ConditionalCheckFailedException';
}

/** The handlers of one sandbox: each does what its payload tells it, and tells the ledger. */
export function handlersOf(deps: HandlerDeps): ReadonlyMap<string, HandledJob> {
  const names = (Object.keys(JOB_TYPES) as TypeName[]).filter((name) => name !== 'later' || deps.version === 2);
  const typeOf = (name: TypeName): AnyJobType => (name === 'patient' && deps.version === 1 ? OLDER_PATIENT : JOB_TYPES[name]);
  const types = [...names.map(typeOf), ...(deps.payloads === undefined ? [] : [ladenType(deps.payloads)])];
  const handled = types.map((type: AnyJobType) => type.handle((context: JobContext<WorkItem>) => run(deps, type, context)));
  return new Map(handled.filter(({ type }) => type.worker === deps.worker).map((one) => [one.type.name, one]));
}

async function run(deps: HandlerDeps, type: AnyJobType, context: JobContext<WorkItem>): Promise<Verdict | undefined> {
  const end = deps.ledger.start(deps.process, context.job, context.signal);
  // The children of a patient job are of another type, and keep its form.
  if (type.name === OLDER_PATIENT.name) deps.ledger.reads(context.job.id, context.payload.form, type.schemaVersion);
  const apart = deps.schedules.start(deps.process, context.job);
  const leave = deps.limits.start(deps.process, context.job.id, appliedLimits(type.limits, context.payload, context.job));
  try {
    const { verdict, as } = await act(deps, context);
    end(as);
    return verdict;
  } catch (error) {
    end(error instanceof Conflict ? 'uncounted' : 'failed');
    throw error;
  } finally {
    leave();
    apart();
  }
}

interface Done {
  readonly verdict?: Verdict;
  readonly as: RunEnd;
}

async function act(deps: HandlerDeps, { payload: workItem, job, signal, state, progress }: JobContext<WorkItem>): Promise<Done> {
  const { clock } = deps.process;
  if (workItem.kind === 'long') progress(10, 'begun');
  const done: Done = { as: 'done' };
  await clock.wait(workItem.workMs, workItem.kind === 'stuck' ? undefined : signal);
  if (signal.aborted && workItem.kind !== 'stuck') throw new Error('stopped by its signal');
  await deps.callOut?.();
  const early = job.attempt <= workItem.times;
  switch (workItem.kind) {
    case 'plain':
      return done;
    case 'long':
      progress(100, 'soon');
      return done;
    case 'continuing': {
      const { step = 0 } = (state ?? {}) as { readonly step?: number };
      progress(step, `step ${step}`);
      return step < workItem.times ? { verdict: continueWith({ step: step + 1 }), as: 'uncounted' } : done;
    }
    case 'joining':
      return { ...done, ...(await joining(deps, workItem, job.batch)) };
    case 'guarding':
      if (job.failures < workItem.times) throw new Error('not yet');
      return { ...done, verdict: complete({ cancel: [{ type: JOB_TYPES.usual, key: workItem.cancels ?? '' }] }) };
    case 'flaky':
      if (job.failures < workItem.times) throw new Error('not yet');
      return done;
    case 'hopeless':
      throw workItem.times === 0 ? new NonRetryableError('never') : new Error('never');
    case 'refused':
      return { verdict: fail('refused'), as: 'refused' };
    case 'conflicting':
      if (early) throw new Conflict('somebody was faster');
      return done;
    case 'snoozing':
      return job.snoozes < workItem.times ? { verdict: snooze(workItem.delayMs), as: 'snoozed' } : done;
    case 'poison':
      deps.died();
      deps.process.kill();
      return never();
    case 'stuck':
      if (early) await clock.wait(workItem.delayMs);
      return done;
    case 'slow':
      if (early) await clock.wait(workItem.delayMs, signal);
      if (signal.aborted) throw new Error('stopped by its signal');
      return done;
    case 'parent':
      if (workItem.generations > 0) {
        const child = await deps.client.enqueue(JOB_TYPES.usual, { ...workItem, generations: workItem.generations - 1 });
        deps.accepted(child.id);
      }
      return done;
  }
}

/** Adds jobs to its own batch: one while it runs, one with its completion, and one that belongs to none. */
async function joining(
  deps: HandlerDeps,
  workItem: WorkItem,
  batch: string | undefined,
): Promise<{ readonly verdict: Verdict } | undefined> {
  if (workItem.generations === 0) return undefined;
  const child: WorkItem = { ...workItem, kind: 'plain', generations: 0 };
  const own = batch === undefined ? {} : { batch };
  const { id } = await deps.client.enqueue(JOB_TYPES.usual, child, own);
  deps.accepted(id);
  // A key that producers use too, or one that some follow-ups share: the one that comes second is left out.
  const key = workItem.times === 0 ? {} : { key: `key-${workItem.times}` };
  return {
    verdict: complete({ enqueue: [followUp(JOB_TYPES.usual, { ...child, kind: 'refused' }, own), followUp(JOB_TYPES.usual, child, key)] }),
  };
}
