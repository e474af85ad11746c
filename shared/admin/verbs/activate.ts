import { defined } from '../../core/defined.ts';
import { storedInstant } from '../../core/instant.ts';
import { type LeftAlone, planActivate } from '../../store/run-now.ts';
import { type AuditContext, changeJob } from '../change-job.ts';
import type { JobVerb } from './verb.ts';

/** The verb for one job. */
export interface ActivateJobVerb {
  /** Lets one suspended job go: `activated` into its queue, or `waiting` until it is due. What is still suspended stops it again. */
  activateJob(id: string, told?: AuditContext): Promise<'activated' | LeftAlone>;
}

/** What to do to each job in bulk. */
export interface ActivateAction {
  readonly verb: 'activate';
}

/** Lets suspended jobs go. */
export const activate: JobVerb<ActivateAction, ActivateJobVerb> = {
  name: 'activate',
  method: 'activateJob',
  acts: ['suspended'],
  told: 'optional',
  // `waiting`: it was let go, and is not due yet.
  done: ['activated', 'waiting'],
  repeated: ['waiting', 'parked', 'ready', 'running', 'dead', 'finished', 'not-found', 'changed'],
  // One that is let go and only waits then cannot tell.
  canary: { canTell: (row, { now, withinMs }) => (storedInstant(row['dueAt']) ?? 0) <= now + withinMs },
  since: 'suspendedAt',
  command: {
    summary: 'lets suspended jobs go; what is still suspended stops them again',
    past: 'let go',
    of: { jobs: 70, suspended: 10 },
  },
  button: {
    action: 'activate-job',
    place: 30,
    label: 'Activate',
    doing: 'letting go',
    confirm: 'It goes back to where it was. What is still suspended stops it again.',
  },
  methods: (deps, tenant) => ({
    async activateJob(id, told = {}) {
      const outcome = await changeJob(deps, { name: 'activateJob', id, told, ...defined({ tenant }) }, planActivate);
      return outcome === 'done' ? 'activated' : outcome === 'waiting-again' ? 'waiting' : outcome;
    },
  }),
  act: async (on, id, _, told) => on.activateJob(id, told),
  says: (outcome) => (outcome === 'waiting' ? 'Let go: it waits for its time.' : 'Let go: it is back in its queue.'),
};
