import type { AttemptEnd } from '../../../shared/job/attempt.ts';
import type { HandledJob } from '../../../shared/job/job-type.ts';
import { attemptRecord, type EndedAttempt, historyLevel, keptInBatch } from '../../executor/attempt-record.ts';
import type { ExecutorInvocation } from '../../executor/invocation.ts';
import { decideAndRecord } from '../../executor/record.ts';

/** Decides about the attempt of a task and records the decision. History gets it with the next `flushHistory`. */
export async function recordAttempt(invocation: ExecutorInvocation, handled: HandledJob, ended: EndedAttempt): Promise<AttemptEnd> {
  const { deps, history } = invocation;
  const { end, finished } = await decideAndRecord(deps, handled, ended);
  if (finished) history.push(finished);
  // Of two answers at the same time, the one that lost must not take the place of the other in History.
  if (end.outcome !== 'lost-lease' && keptInBatch(historyLevel(deps, handled), end)) history.push(attemptRecord(deps, ended, end));
  return end;
}
