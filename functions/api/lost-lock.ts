import type { JobView } from '../../operate/jobs/job-view.ts';
import { defined } from '../../shared/job/defined.ts';
import { decodeTaskToken } from '../worker/external/task-token.ts';
import { ProblemError } from './problems.ts';
import type { ApiDeps } from './route.ts';

/** What happened to a job whose lock does not hold it: one look at it, after the answer was refused. Nothing was written. */
export async function lostLock({ reads }: ApiDeps, id: string, lock: string): Promise<ProblemError> {
  const view = await reads.find(id);
  const detail = `${story(view, decodeTaskToken(lock).owner)} Nothing was written.`;
  return new ProblemError('lock-lost', { detail, more: defined({ state: view?.state, outcome: view?.outcome, reason: view?.reason }) });
}

function story(view: JobView | undefined, owner: string): string {
  if (view === undefined) return 'The job has ended and History does not keep it, or there never was one with this id.';
  switch (view.state) {
    case 'finished':
      return `The job has ended before: ${view.outcome}.`;
    case 'dead':
      return 'The job is a dead letter.';
    case 'running':
      return view.lockOwner === owner
        ? 'The lock of its group has ended, and another job of the group holds it.'
        : 'The lock has ended, and the job was handed out again.';
    default:
      return `The lock has ended, or was answered before: the job is ${view.state} and can be handed out again.`;
  }
}
