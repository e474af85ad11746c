import { defined } from '../../shared/job/defined.ts';
import type { LeftAlone } from '../../shared/store/change-located.ts';
import { planRunNow } from '../../shared/store/run-now.ts';
import type { AuditContext } from '../../shared/operator/act.ts';
import { changeJob, unlessGone } from '../change-job.ts';
import type { JobVerb } from './verb.ts';

/** The verb for one job. */
export interface RunNowVerb {
  /**
   * Runs one job now, although its type, tenant or group is suspended, and although it is not due: a suspended, waiting or ready one.
   * It stays exempt until it ends. `occurrence`: it is the next one of a schedule; run the schedule now instead. `worker-gone`: move it first.
   */
  runNow(id: string, context?: AuditContext): Promise<'started' | LeftAlone>;
}

/** What to do to each job in bulk. */
export interface RunNowAction {
  readonly verb: 'run-now';
}

/** Runs jobs now. */
export const runNow: JobVerb<RunNowAction, RunNowVerb> = {
  name: 'run-now',
  method: 'runNow',
  acts: ['waiting', 'suspended', 'ready'],
  context: 'optional',
  done: ['started'],
  repeated: () => ['running', 'finished', 'not-found', 'dead', 'changed'],
  canary: {},
  command: {
    summary: 'makes jobs due now and exempts them from suspensions; not the next occurrence of a schedule',
    past: 'run now',
    of: { jobs: 20, timers: 10, suspended: 20 },
  },
  button: {
    action: 'run-now',
    place: 20,
    label: 'Run now',
    doing: 'starting',
    confirm: 'It runs at once, even if it is not due, or its type, tenant or group is suspended.',
  },
  methods: (deps, tenant) => ({
    async runNow(id, context = {}) {
      const outcome = await changeJob(deps, { name: 'runNow', id, context, ...defined({ tenant }) }, unlessGone(deps, planRunNow));
      return outcome === 'done' ? 'started' : outcome === 'waiting-again' ? 'waiting' : outcome;
    },
  }),
  act: async (on, id, _, context) => on.runNow(id, context),
  says: () => 'It runs now: its id was sent to its queue.',
};
