import { iso } from '../../../shared/job/instant.ts';
import { ranBefore } from '../../../shared/job/job.ts';
import { buryInErrorGroup } from '../../../shared/store/burials.ts';
import { cancelTerms } from '../../../shared/store/cancel.ts';
import { endUnstarted } from '../../../shared/store/end-unstarted.ts';
import { ifCancelled, jobEnded, note, type Gate } from '../held-job.ts';

/**
 * Ends a job that had to start earlier and never did: as `expired`, or as a dead letter if its type says so. Retries and continuations may
 * start at any time. Costs nothing for a job that starts in time.
 */
export const expiryGate: Gate = async ({ deps, requestId }, { job, handled }) => {
  const now = deps.clock.now();
  if (job.startBy === undefined || now <= job.startBy || ranBefore(job, 1)) return 'pass';
  const buries = handled.type.onExpiry === 'dead-letter';
  const error = { name: 'JobExpired', message: `It had to start by ${iso(job.startBy)}, and no executor was free in time.`, at: now };
  const ended = buries
    ? await buryInErrorGroup(deps, job, { reason: 'expired', error, requestId, attempt: 0, by: 'owner' })
    : await endUnstarted(deps.tables, job, { outcome: 'expired' }, cancelTerms(deps));
  if (ended.result === 'expired') jobEnded(deps, job, 'expired');
  else if (ended.result === 'dead') jobEnded(deps, job, 'dead-lettered', { error, reason: 'expired' });
  else if (!(await ifCancelled(deps, job, ended))) note(deps, job, 'lost-lease');
  return 'acknowledge';
};
