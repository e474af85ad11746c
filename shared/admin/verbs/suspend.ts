import { defined } from '../../core/defined.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { checkText } from '../../core/names.ts';
import { type LeftAlone, planBreakpoint } from '../../store/run-now.ts';
import { type AuditContext, changeJob } from '../change-job.ts';
import type { JobVerb } from './verb.ts';

/** The verb for one job. */
export interface BreakpointVerb {
  /** Stops one job that does not run, until `activateJob` or `runNow`. */
  breakpoint(id: string, told: AuditContext & { readonly reason: string }): Promise<'stopped' | LeftAlone>;
}

/** Stops each job at a breakpoint; a scope is suspended with `suspend`. */
export interface SuspendAction {
  readonly verb: 'suspend';
}

const SAY_WHY = 'Say why, for whoever finds the job stopped.';

/** Stops jobs at a breakpoint. */
export const suspend: JobVerb<SuspendAction, BreakpointVerb> = {
  name: 'suspend',
  method: 'breakpoint',
  acts: ['waiting', 'suspended', 'ready'],
  // It would hold what a suspension stopped, after that has ended too, so that has to be said.
  means: ['waiting', 'ready'],
  told: 'required',
  done: ['stopped'],
  repeated: ['suspended'],
  command: {
    summary: 'stops jobs that do not run at a breakpoint, until activate or run-now',
    past: 'stopped at a breakpoint',
    of: { jobs: 60 },
  },
  button: {
    action: 'suspend-job',
    place: 40,
    label: 'Stop it here',
    labelForMany: 'Stop each',
    doing: 'stopping',
    confirm: 'It will not run until somebody lets it go.',
    why: 'Why, for whoever finds it stopped',
    whyMissing: SAY_WHY,
  },
  methods: (deps, tenant) => ({
    async breakpoint(id, told) {
      const reason = checkText(told?.reason, 'reason');
      if (reason === undefined) throw new InvalidInputError('reason', told?.reason, SAY_WHY);
      return changeJob(
        deps,
        { name: 'breakpoint', id, told, ...defined({ tenant }), event: () => ({ event: 'suspended', reason: 'breakpoint' }) },
        (found, { now }) => planBreakpoint(found, { now, reason }),
      );
    },
  }),
  act: async (on, id, _, told) => on.breakpoint(id, { ...told, reason: told.reason ?? '' }),
  says: () => 'Stopped: it will not run until somebody lets it go.',
};
