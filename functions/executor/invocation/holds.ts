import type { LeasedJob } from '../../../shared/job/job.ts';
import type { LockOwner } from '../../../shared/job/lock-owner.ts';
import type { ExecutorDeps } from '../deps.ts';

/** What a gate took for a job besides its lease, such as a slot of a limit. */
export interface Hold {
  /** Extends it with the lease of the job. False if another job has it by now. */
  extend(deps: ExecutorDeps, job: LeasedJob, until: number): Promise<boolean>;
  /** Gives it up when the claim has ended. */
  release(deps: ExecutorDeps, job: LeasedJob): Promise<void>;
}

/** What the jobs of an invocation hold, by claim: a job may be claimed again while its holds are being released. */
export type Holds = Map<LockOwner, Hold[]>;

interface Holder {
  readonly holds: Holds;
}

/** Remembers a hold before it is requested, because the reply may be lost. */
export function addHold({ holds }: Holder, job: LeasedJob, hold: Hold): void {
  holds.set(job.lockOwner, [...(holds.get(job.lockOwner) ?? []), hold]);
}

/** Forgets a hold that the job did not get. */
export function dropHold({ holds }: Holder, job: LeasedJob, hold: Hold): void {
  holds.set(
    job.lockOwner,
    (holds.get(job.lockOwner) ?? []).filter((one) => one !== hold),
  );
}

/** Releases what the job holds. A hold that cannot be released now expires with the lease. */
export async function releaseHolds(
  invocation: Holder & { readonly deps: ExecutorDeps; storeFailed(error: unknown): void },
  job: LeasedJob,
): Promise<void> {
  const held = invocation.holds.get(job.lockOwner) ?? [];
  invocation.holds.delete(job.lockOwner);
  for (const hold of held) await hold.release(invocation.deps, job).catch((error: unknown) => invocation.storeFailed(error));
}
