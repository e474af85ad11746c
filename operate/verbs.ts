import type { AdminDeps } from './admin-deps.ts';
import { bury } from './verbs/bury.ts';
import { cancel } from './verbs/cancel.ts';
import { changeTenant } from './verbs/change-tenant.ts';
import { deleteVerb } from './verbs/delete.ts';
import { move } from './verbs/move.ts';
import { patch } from './verbs/patch.ts';
import { releaseGroup } from './verbs/release-group.ts';
import { redrive } from './verbs/redrive.ts';
import { resume, type ResumeJobVerb } from './verbs/resume.ts';
import { runNow, type RunNowVerb } from './verbs/run-now.ts';
import { setDueDate } from './verbs/set-due-date.ts';
import { setPriority, type SetPriorityVerb } from './verbs/set-priority.ts';
import { setRetries } from './verbs/set-retries.ts';
import { type BreakpointVerb, suspend } from './verbs/suspend.ts';
import type { JobVerb } from './verbs/verb.ts';

/**
 * Every verb of an operator for jobs, in the order in which messages list them. Admin, bulk actions, the command line, the console and
 * the audit go by this list. `editPayload` is not in it: its argument is a document, which has a form of its own.
 */
export const JOB_VERBS = [
  redrive,
  deleteVerb,
  cancel,
  setRetries,
  setDueDate,
  runNow,
  setPriority,
  suspend,
  resume,
  changeTenant,
  move,
  bury,
  releaseGroup,
  patch,
] as const;

type Listed = (typeof JOB_VERBS)[number];

/** What to do to each job. */
export type BulkAction = Parameters<Listed['act']>[2];

/** What operators do to single jobs. Each answers with what it did, or with the state that kept it from doing it. */
export interface JobVerbs extends RunNowVerb, BreakpointVerb, ResumeJobVerb, SetPriorityVerb {}

type MethodsOf<Verb> = Verb extends { methods(deps: AdminDeps): infer Methods } ? Methods : never;
type Merged<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void ? All : never;

/** The methods of all verbs, each for one job. */
export type JobMethods = Merged<MethodsOf<Listed>>;

/** The same without the verbs that only operators of the whole deployment have. */
export type TenantJobMethods = Merged<MethodsOf<Exclude<Listed, { readonly wholeDeployment: true }>>>;

/** The methods of all verbs. */
export function jobMethods(deps: AdminDeps): JobMethods {
  return Object.assign({}, ...JOB_VERBS.map((verb) => verb.methods(deps))) as JobMethods;
}

/** The methods for the jobs of one tenant: those of all others are `not-found`. */
export function jobMethodsOf(deps: AdminDeps, tenant: string): TenantJobMethods {
  const verbs: readonly JobVerb[] = JOB_VERBS;
  const own = verbs.filter(({ wholeDeployment }) => wholeDeployment !== true);
  return Object.assign({}, ...own.map((verb) => verb.methods(deps, tenant))) as TenantJobMethods;
}

/** The verb of a bulk action, or undefined for a name that none has. */
export function verbNamed(name: BulkAction['verb']): JobVerb<BulkAction>;
export function verbNamed(name: unknown): JobVerb<BulkAction> | undefined;
export function verbNamed(name: unknown): JobVerb<BulkAction> | undefined {
  return JOB_VERBS.find((verb) => verb.name === name);
}
