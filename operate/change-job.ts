import { defined } from '../shared/job/defined.ts';
import type { LeasedJob } from '../shared/job/job.ts';
import { checkJobId } from '../shared/job/job-id.ts';
import { checkOptions, checkText } from '../shared/job/names.ts';
import { type JournalEntry, jobRef } from '../shared/ports/journal.ts';
import type { Write } from '../shared/ports/tables.ts';
import type { ResumeTerms } from '../shared/store/ready-row.ts';
import { changeLocated, leave, type PlannedChange } from '../shared/store/change-located.ts';
import type { Located } from '../shared/store/locate.ts';
import { sendHints } from '../shared/store/send-hints.ts';
import { actorOf, type AuditContext } from '../shared/operator/act.ts';
import type { AdminDeps } from './admin-deps.ts';
import { recordWrites } from '../shared/features/operator-records.ts';
import { waitForPutWindow } from './wait-for-put-window.ts';

/** A verb of an operator on one job; with a `tenant` the jobs of others are not there. */
export interface OperatorVerb {
  readonly name: string;
  readonly id: string;
  readonly context: AuditContext;
  /** For the audit. */
  readonly detail?: string;
  readonly tenant?: string;
  /** Further options allowed in `context`. */
  readonly more?: readonly string[];
  /** The event for the journal, if any. Default: resumed or rescheduled. */
  readonly event?: VerbEvent;
}

/** The event of a job that was met, and of the row that it has if it is ready now. */
export type VerbEvent = (met: Located, ready: LeasedJob | undefined) => Pick<JournalEntry, 'event' | 'reason'> | undefined;

/** What a plan answers: what came of it, and the row that needs a hint. */
export interface Changed<Outcome> {
  readonly outcome: Outcome;
  readonly job?: LeasedJob;
}

type Answer<Outcome> = PlannedChange<Changed<Outcome>>;

/** One transaction, with its audit entry unless that is written elsewhere; then the hint, if the job is ready. */
export async function changeJob<Outcome>(
  deps: AdminDeps,
  verb: OperatorVerb,
  plan: (found: Located, terms: ResumeTerms) => Answer<Outcome> | Promise<Answer<Outcome>>,
): Promise<Outcome | 'not-found'> {
  checkOptions(verb.context, ['actor', 'reason', ...(verb.more ?? [])], 'options');
  const id = checkJobId(verb.id);
  await waitForPutWindow(deps, id);
  const { redispatchAfterMs, delayHorizonMs } = deps.deployment.settings;
  const terms = { token: deps.entropy.token(), now: deps.clock.now(), redispatchAfterMs, delayHorizonMs };
  const tenant = verb.tenant === undefined ? {} : { tenant: verb.tenant };
  let met: Located | undefined;
  const answer = await changeLocated(deps.tables, id, { verb: verb.name, token: terms.token, ...tenant }, async (found) => {
    const planned = await plan(found, terms);
    met = planned.writes.length === 0 ? undefined : found;
    return planned.writes.length === 0 ? planned : { ...planned, writes: [...planned.writes, ...auditOf(deps, verb, found.job, terms)] };
  });
  if (met !== undefined) journalVerb(deps, verb, met, answer?.job);
  if (answer?.job !== undefined) await sendHints(deps, [answer.job], terms.now);
  return answer?.outcome ?? 'not-found';
}

/** A plan whose answer claims that the job will run: it leaves a job alone whose worker the deployment does not have. */
export function unlessGone<Outcome>(
  { deployment }: AdminDeps,
  plan: (found: Located, terms: ResumeTerms) => Answer<Outcome>,
): (found: Located, terms: ResumeTerms) => Answer<Outcome | 'worker-gone'> {
  return (found, terms) => {
    const planned = plan(found, terms);
    return planned.writes.length > 0 && !deployment.workers.has(found.job.worker) ? leave('worker-gone') : planned;
  };
}

/** The event of a verb that changes a job's content but not its place: none, unless it sent the job back to its queue. */
export function requeuedEvent(name: string): VerbEvent {
  return ({ state }, ready) => (ready === undefined ? undefined : { event: state === 'parked' ? 'released' : 'resumed', reason: name });
}

/** What happened to the job, in the words of the journal. */
function journalVerb(
  { journal }: AdminDeps,
  { name, event = movedEvent(name) }: OperatorVerb,
  met: Located,
  ready: LeasedJob | undefined,
): void {
  const happened = event(met, ready);
  if (happened !== undefined) journal.record({ worker: met.job.worker, job: jobRef(met.job), ...happened });
}

function movedEvent(name: string): VerbEvent {
  return ({ state }) => ({ event: state === 'suspended' ? 'resumed' : 'rescheduled', reason: name });
}

/** The entry of a verb on one job, for its transaction. None within a bulk action, which has entries of its own. */
export function auditOf(
  deps: AdminDeps,
  { name, id, context, detail }: OperatorVerb,
  job: { readonly type: string; readonly tenant?: string },
  { token, now }: { readonly token: string; readonly now: number },
): readonly Write[] {
  if (deps.unaudited === true) return [];
  const reason = checkText(context.reason, 'reason');
  const entry = {
    verb: name,
    actor: actorOf(deps, context.actor),
    at: now,
    jobId: id,
    type: job.type,
    ...defined({ tenant: job.tenant, reason, detail }),
  };
  return recordWrites(entry, token);
}
