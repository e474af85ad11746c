import { defined } from '../core/defined.ts';
import { InvalidInputError } from '../core/errors.ts';
import { checkPriority, checkText } from '../core/names.ts';
import type { ResumeTerms } from '../store/activate.ts';
import type { PlannedChange } from '../store/change-located.ts';
import type { Located } from '../store/locate.ts';
import { type LeftAlone, planActivate, planBreakpoint, planRunNow } from '../store/run-now.ts';
import { planPriority } from '../store/set-priority.ts';
import type { AdminDeps } from './admin-deps.ts';
import { type Changed, changeJob, type OperatorVerb, type AuditContext } from './change-job.ts';

/** What operators do to single jobs. Each answers with what it did, or with the state that kept it from doing it. */
export interface JobVerbs {
  /**
   * Runs one job now, although its type, tenant or group is suspended, and although it is not due: a suspended, waiting or ready one.
   * It stays exempt until it ends. `occurrence`: it is the next one of a schedule; run the schedule now instead.
   */
  runNow(id: string, told?: AuditContext): Promise<'started' | LeftAlone>;
  /** Stops one job that does not run, until `activateJob` or `runNow`. */
  breakpoint(id: string, told: AuditContext & { readonly reason: string }): Promise<'stopped' | LeftAlone>;
  /** Lets one suspended job go: `activated` into its queue, or `waiting` until it is due. What is still suspended stops it again. */
  activateJob(id: string, told?: AuditContext): Promise<'activated' | LeftAlone>;
  /** Gives one job another priority wherever it waits, and the lane of that; no rule goes before it. */
  setPriority(id: string, priority: number, told?: AuditContext): Promise<'set' | LeftAlone>;
}

/** Creates the verbs; with a `tenant` the jobs of all others are `not-found`. */
export function jobVerbs(deps: AdminDeps, tenant?: string): JobVerbs {
  const change = async <Outcome>(
    verb: OperatorVerb,
    plan: (found: Located, terms: ResumeTerms) => PlannedChange<Changed<Outcome | LeftAlone>>,
  ): Promise<Outcome | LeftAlone> => changeJob(deps, { ...verb, ...defined({ tenant }) }, plan);
  return {
    async runNow(id, told = {}) {
      const outcome = await change({ name: 'runNow', id, told }, planRunNow);
      return outcome === 'done' ? 'started' : outcome === 'waiting-again' ? 'waiting' : outcome;
    },
    async activateJob(id, told = {}) {
      const outcome = await change({ name: 'activateJob', id, told }, planActivate);
      return outcome === 'done' ? 'activated' : outcome === 'waiting-again' ? 'waiting' : outcome;
    },
    async breakpoint(id, told) {
      const reason = checkText(told?.reason, 'reason');
      if (reason === undefined) throw new InvalidInputError('reason', told?.reason, 'Say why, for whoever finds the job stopped.');
      return change({ name: 'breakpoint', id, told }, (found, { now }) => planBreakpoint(found, { now, reason }));
    },
    async setPriority(id, given, told = {}) {
      const priority = checkPriority(given);
      const lanes = (worker: string) => deps.deployment.workers.get(worker);
      return change({ name: 'setPriority', id, told, detail: String(priority) }, (found, terms) =>
        planPriority(found, { priority, lanes }, terms),
      );
    },
  };
}
