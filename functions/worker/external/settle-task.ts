import type { AttemptOutcome } from '../../../shared/job/attempt.ts';
import type { Outcome } from '../../../shared/job/decide.ts';
import { defined } from '../../../shared/job/defined.ts';
import { groupHash, lockGroup } from '../../../shared/job/hint.ts';
import { checkJobId } from '../../../shared/job/job-id.ts';
import type { LeasedJob } from '../../../shared/job/job.ts';
import { byPresentName } from '../../../shared/job/worker-names.ts';
import { groupLockKey } from '../../../shared/store/control-rows.ts';
import { decodeLeasedJob } from '../../../shared/store/job-codec.ts';
import type { CompletionExtras } from '../../../shared/store/complete.ts';
import { releaseLock, takeLock } from '../../../shared/store/take-lock.ts';
import { renew } from '../../../shared/store/renew.ts';
import { idKey } from '../../../shared/store/rows.ts';
import { scopeOf, withinJob } from '../../../shared/ports/job-scope.ts';
import { type ExecutorInvocation, settleTouchedBatches, flushHistory } from '../../executor/invocation.ts';
import type { ExecutorDeps } from '../../executor/deps.ts';
import type { EndedAttempt } from '../../executor/attempt-record.ts';
import type { EndAnswer, LockAnswer } from './external.ts';
import { GROUP_BEYOND_MS } from './fetch-tasks.ts';
import { recordAttempt } from './record-attempt.ts';
import { decodeTaskToken, type TaskLock } from './task-token.ts';

/** The result of an answer, by how the attempt ended. */
const RESULTS: Partial<Record<AttemptOutcome, EndAnswer['result']>> = {
  completed: 'completed',
  retried: 'retried',
  'dead-lettered': 'dead',
  'given-back': 'unlocked',
  cancelled: 'cancelled',
  'lost-lease': 'lost',
};

/** The outcome that an answer asks for; `retries` are the tries that it leaves the job. */
export interface Answer {
  readonly outcome: Outcome;
  /** Builds what a completion writes besides. Runs in the job's context, so that follow-ups inherit from it. */
  readonly extras?: () => Promise<CompletionExtras>;
  readonly retries?: number;
}

/** Records an answer in the same way as a handler's outcome, fenced by the token. */
export async function settleTask(invocation: ExecutorInvocation, id: string, token: string, answer: Answer): Promise<EndAnswer> {
  const lock = decodeTaskToken(token);
  const job = await heldJob(invocation.deps, id, lock);
  const handled = job === undefined ? undefined : invocation.deps.handlers.get(job.type);
  if (job === undefined || handled === undefined) return { result: 'lost' };
  const { outcome, retries } = answer;
  const triesLimit = retries === undefined ? undefined : job.failures + 1 + retries;
  const extras = await withinJob(scopeOf(job), async () => answer.extras?.());
  const { deps } = invocation;
  const { clock, entropy } = deps;
  const ended: EndedAttempt = {
    job: { ...job, ...defined({ triesLimit }) },
    outcome,
    startedAt: lock.since,
    endedAt: clock.now(),
    requestId: invocation.requestId,
    token: entropy.token(),
    unsettled: false,
    ...defined({ extras, triesLimit }),
  };
  const end = await recordAttempt(invocation, handled, ended);
  await releaseGroup(invocation, job, lock);
  await Promise.all([settleTouchedBatches(invocation), flushHistory(invocation)]);
  deps.journal.flush();
  return { result: RESULTS[end.outcome] ?? 'lost' };
}

/** Extends the lock of a task: the group lock first, so that a task whose group was taken over is not held any longer. */
export async function extendTask(invocation: ExecutorInvocation, id: string, token: string, leaseMs: number): Promise<LockAnswer> {
  const { deps } = invocation;
  const lock = decodeTaskToken(token);
  const task = { id: checkJobId(id), lockOwner: lock.owner };
  const now = deps.clock.now();
  const expiresAt = now + leaseMs;
  const inGroup = lock.groupOwner === undefined ? undefined : await heldJob(deps, id, lock);
  const groupUntil = lock.groupOwner === undefined ? Number.POSITIVE_INFINITY : await lockItsGroup(deps, inGroup, lock, { now, expiresAt });
  if (groupUntil === undefined) return { result: 'lost' };
  const renewed = await renew(deps.tables, task, expiresAt);
  if (renewed.result === 'lost') {
    if (inGroup !== undefined) await releaseGroup(invocation, inGroup, lock);
    return { result: 'lost' };
  }
  // A shorter lease leaves both locks as they are, and that of the group may end first: it was taken before the job was claimed.
  const lockedUntil = new Date(Math.min(renewed.job.lockExpiresAt, groupUntil - GROUP_BEYOND_MS));
  return { result: renewed.job.cancelRequested === true ? 'cancel-asked' : 'extended', lockedUntil };
}

/** Until when the group is locked, in epoch milliseconds; undefined if another process holds it or the job by now. */
async function lockItsGroup(
  { tables }: ExecutorDeps,
  job: LeasedJob | undefined,
  { groupOwner }: TaskLock,
  { now, expiresAt }: { readonly now: number; readonly expiresAt: number },
): Promise<number | undefined> {
  if (job === undefined) return undefined;
  const key = lockKeyOf(job);
  if (key === undefined || groupOwner === undefined) return Number.POSITIVE_INFINITY;
  const { taken, until } = await takeLock(tables, key, groupOwner, { now, expiresAt: expiresAt + GROUP_BEYOND_MS });
  return taken ? until : undefined;
}

async function heldJob({ tables, deployment }: ExecutorDeps, id: string, { owner }: TaskLock): Promise<LeasedJob | undefined> {
  const row = await tables.get('jobs', idKey(checkJobId(id)));
  return row?.['lockOwner'] === owner ? byPresentName(deployment.workers, decodeLeasedJob(row)) : undefined;
}

/** A lock that cannot be released now expires. */
async function releaseGroup(invocation: ExecutorInvocation, job: LeasedJob, { groupOwner }: TaskLock): Promise<void> {
  const key = lockKeyOf(job);
  if (key === undefined || groupOwner === undefined) return;
  await releaseLock(invocation.deps.tables, key, groupOwner).catch((error: unknown) => invocation.storeFailed(error));
}

function lockKeyOf(job: LeasedJob): ReturnType<typeof groupLockKey> | undefined {
  const group = lockGroup(job);
  return group === undefined ? undefined : groupLockKey(groupHash(group));
}
