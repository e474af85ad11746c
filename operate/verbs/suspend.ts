import { defined } from '../../shared/job/defined.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { checkText } from '../../shared/job/names.ts';
import type { LeftAlone } from '../../shared/store/change-located.ts';
import { planBreakpoint } from '../../shared/store/suspend.ts';
import type { AuditContext } from '../../shared/operator/act.ts';
import { changeJob } from '../change-job.ts';
import type { JobVerb } from './verb.ts';

/** The verb for one job. */
export interface BreakpointVerb {
  /** Stops one job that does not run, until `resumeJob` or `runNow`. */
  breakpoint(id: string, context: AuditContext & { readonly reason: string }): Promise<'stopped' | LeftAlone>;
}

/** Stops each job at a breakpoint; a scope is suspended with `suspend`. */
export interface SuspendAction {
  readonly verb: 'suspend';
}

const SAY_WHY = 'Say why, for operators who find the job stopped.';

/** Stops jobs at a breakpoint. */
export const suspend: JobVerb<SuspendAction, BreakpointVerb> = {
  name: 'suspend',
  method: 'breakpoint',
  acts: ['waiting', 'suspended', 'ready'],
  // It would hold what a suspension stopped, after that has ended too, so that has to be said.
  means: ['waiting', 'ready'],
  context: 'required',
  done: ['stopped'],
  repeated: () => ['suspended'],
  command: {
    summary: 'holds waiting and ready jobs at a breakpoint until resume or run-now, not the next occurrence of a schedule',
    past: 'stopped at a breakpoint',
    of: { jobs: 60 },
  },
  button: {
    action: 'suspend-job',
    place: 40,
    label: 'Stop it here',
    labelForMany: 'Stop each',
    doing: 'stopping',
    confirm: 'It does not run until an operator resumes it.',
    why: 'Why, for operators who find it stopped',
    whyMissing: SAY_WHY,
  },
  methods: (deps, tenant) => ({
    async breakpoint(id, context) {
      const reason = checkText(context?.reason, 'reason');
      if (reason === undefined) throw new InvalidInputError('reason', context?.reason, SAY_WHY);
      return changeJob(
        deps,
        { name: 'breakpoint', id, context, ...defined({ tenant }), event: () => ({ event: 'suspended', reason: 'breakpoint' }) },
        (found, { now }) => planBreakpoint(found, { now, reason }),
      );
    },
  }),
  act: async (on, id, _, context) => on.breakpoint(id, { ...context, reason: context.reason ?? '' }),
  says: () => 'Stopped: it does not run until an operator resumes it.',
};
