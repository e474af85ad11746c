import { defined } from '../../shared/job/defined.ts';
import { storedInstant } from '../../shared/job/instant.ts';
import type { LeftAlone } from '../../shared/store/change-located.ts';
import { planResume } from '../../shared/store/resume.ts';
import type { AuditContext } from '../../shared/operator/act.ts';
import { changeJob, unlessGone } from '../change-job.ts';
import type { JobVerb } from './verb.ts';

/** The verb for one job. */
export interface ResumeJobVerb {
  /** Resumes one suspended job: `resumed` into its queue, or `waiting` until it is due. A suspension in force stops it again. */
  resumeJob(id: string, context?: AuditContext): Promise<'resumed' | LeftAlone>;
}

/** What to do to each job in bulk. */
export interface ResumeAction {
  readonly verb: 'resume';
}

/** Resumes suspended jobs. */
export const resume: JobVerb<ResumeAction, ResumeJobVerb> = {
  name: 'resume',
  method: 'resumeJob',
  acts: ['suspended'],
  context: 'optional',
  // `waiting`: it was resumed, and is not due yet.
  done: ['resumed', 'waiting'],
  repeated: () => ['waiting', 'parked', 'ready', 'running', 'dead', 'finished', 'not-found', 'changed'],
  // A job that is resumed and then waits cannot serve as a canary.
  canary: { canTell: (row, { now, withinMs }) => (storedInstant(row['dueAt']) ?? 0) <= now + withinMs },
  since: 'suspendedAt',
  command: {
    summary: 'resumes suspended jobs; a suspension that is still in force stops them again',
    past: 'resumed',
    of: { jobs: 70, suspended: 10 },
  },
  button: {
    action: 'resume-job',
    place: 30,
    label: 'Resume',
    doing: 'resuming',
    confirm: 'It goes back to where it was. A suspension that is still in force stops it again.',
  },
  methods: (deps, tenant) => ({
    async resumeJob(id, context = {}) {
      const outcome = await changeJob(deps, { name: 'resumeJob', id, context, ...defined({ tenant }) }, unlessGone(deps, planResume));
      return outcome === 'done' ? 'resumed' : outcome === 'waiting-again' ? 'waiting' : outcome;
    },
  }),
  act: async (on, id, _, context) => on.resumeJob(id, context),
  says: (outcome) => (outcome === 'waiting' ? 'Resumed: it waits until it is due.' : 'Resumed: it is back in its queue.'),
};
