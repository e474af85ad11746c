import { iso } from '../../shared/job/instant.ts';
import type { ExplanationDraft, Facts, FactsIn, WaitsBehind } from './facts.ts';
import { goneWorker, lateHeartbeat } from './sentences.ts';

/** Explains a job that waits for another one of its group, which has started or is before it. */
export function explainBehind(facts: FactsIn<'timers'>, { id, state, group, parkedAt }: WaitsBehind, now: number): ExplanationDraft {
  const { settings, acquirer, workerKnown } = facts;
  const { job } = facts.located;
  const late = lateHeartbeat('acquirer', acquirer, settings, now);
  const free = id === undefined || id === job.id;
  return {
    code: free && late !== undefined ? 'acquirer-late' : 'behind-its-group',
    sentences: [
      `It is parked since ${iso(parkedAt)}, because the jobs of its group ${group} run in order, and a failure holds the group back.`,
      free
        ? 'It is its turn: the acquirer makes it ready at its next run.'
        : `It waits until job ${id}${state === undefined ? '' : `, which is ${state === 'dead' ? 'a dead letter' : state},`} has ended.`,
      ...(state === 'dead' ? ['An operator redrives or deletes that one, or releases the group.'] : []),
      ...(late === undefined ? [] : [late]),
      ...(workerKnown ? [] : [goneWorker(job.worker)]),
      'No counter moves while it is parked.',
    ],
    next: free ? { verb: 'release', by: 'acquirer' } : { verb: 'release', by: state === 'dead' ? 'operator' : 'executor' },
    facts: { group, behind: id, parkedAt: iso(parkedAt) },
    // The group is released by the job that holds it back, which `behind` names.
    verbs: ['blockedGroups', 'setDueDate', 'cancel'],
  };
}

/** What a job with a place in the order of its group adds, in each state in which an operator can release the group. */
export function holdingBack({ located: { state, job }, holdsGroup = false }: Facts): Pick<ExplanationDraft, 'sentences' | 'verbs'> {
  if (!holdsGroup) return { sentences: [], verbs: [] };
  const end = state === 'dead' ? 'it is redriven and done, or deleted' : 'it has ended';
  return {
    sentences: [`The jobs of its group ${job.group} that are behind it wait until ${end}, or the group is released.`],
    verbs: ['releaseGroup'],
  };
}
