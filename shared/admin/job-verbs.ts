import type { LeasedJob } from '../core/job.ts';
import { checkJobId } from '../core/job-id.ts';
import { waitsAlone } from '../core/lock-owner.ts';
import { checkOptions, checkPriority, checkText } from '../core/names.ts';
import { InvalidInputError } from '../core/errors.ts';
import type { LetGoTerms } from '../store/activate.ts';
import { auditWrite } from '../store/audit.ts';
import { changeLocated, type PlannedChange } from '../store/change-located.ts';
import { jobRef } from '../ports/journal.ts';
import type { Located } from '../store/locate.ts';
import { type LeftAlone, planActivate, planBreakpoint, planRunNow } from '../store/run-now.ts';
import { sendHints } from '../store/send-hints.ts';
import { planPriority } from '../store/set-priority.ts';
import type { AdminParts } from './admin.ts';
import { actorOf } from './rule-verbs.ts';

/** Who acts, and why: both go into the audit. */
export interface Told {
  readonly actor?: string;
  readonly reason?: string;
}

/** What operators do to single jobs. Each answers with what it did, or with the state that kept it from doing it. */
export interface JobVerbs {
  /**
   * Runs one job now, although its type, tenant or group is suspended, and although it is not due: a suspended, waiting or ready one.
   * It stays exempt until it ends. `occurrence`: it is the next one of a schedule; run the schedule now instead.
   */
  runNow(id: string, told?: Told): Promise<'started' | LeftAlone>;
  /** Stops one job that does not run, until `activateJob` or `runNow`. */
  breakpoint(id: string, told: Told & { readonly reason: string }): Promise<'stopped' | LeftAlone>;
  /** Lets one suspended job go: `activated` into its queue, or `waiting` until it is due. What is still suspended stops it again. */
  activateJob(id: string, told?: Told): Promise<'activated' | LeftAlone>;
  /** Gives one job another priority wherever it waits, and the lane of that; no rule goes before it. */
  setPriority(id: string, priority: number, told?: Told): Promise<'set' | LeftAlone>;
}

interface Verb {
  readonly name: string;
  readonly id: string;
  readonly told: Told;
  readonly detail?: string;
}

/** The verbs over their parts; with a `tenant` the jobs of all others are `not-found`. */
export function jobVerbs(parts: AdminParts, tenant?: string): JobVerbs {
  const change = async <Outcome>(
    verb: Verb,
    plan: (found: Located, terms: LetGoTerms) => PlannedChange<{ readonly outcome: Outcome | LeftAlone; readonly job?: LeasedJob }>,
  ): Promise<Outcome | LeftAlone> => changeJob(parts, { ...verb, ...(tenant === undefined ? {} : { tenant }) }, plan);
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
      const lanes = (worker: string) => parts.deployment.workers.get(worker);
      return change({ name: 'setPriority', id, told, detail: String(priority) }, (found, terms) =>
        planPriority(found, { priority, lanes }, terms),
      );
    },
  };
}

/** One transaction, with its audit; then the hint, if there is something to run. */
async function changeJob<Outcome>(
  parts: AdminParts,
  verb: Verb & { readonly tenant?: string },
  plan: (found: Located, terms: LetGoTerms) => PlannedChange<{ readonly outcome: Outcome | LeftAlone; readonly job?: LeasedJob }>,
): Promise<Outcome | LeftAlone> {
  checkOptions(verb.told, ['actor', 'reason'], 'options');
  const id = checkJobId(verb.id);
  const now = parts.clock.now();
  const { redispatchAfterMs, delayHorizonMs } = parts.deployment.settings;
  const terms = { token: parts.entropy.token(), now, redispatchAfterMs, delayHorizonMs };
  const tenant = verb.tenant === undefined ? {} : { tenant: verb.tenant };
  let met: Located | undefined;
  const answer = await changeLocated(parts.tables, id, { verb: verb.name, token: terms.token, ...tenant }, (found) => {
    const planned = plan(found, terms);
    met = planned.writes.length === 0 ? undefined : found;
    return planned.writes.length === 0 ? planned : { ...planned, writes: [...planned.writes, auditOf(parts, verb, found, terms)] };
  });
  if (met !== undefined) journalVerb(parts, verb, met, answer?.job);
  if (answer?.job !== undefined) await sendHints(parts, [answer.job], now, waitsAlone(answer.job.lockOwner));
  parts.journal.flush();
  return answer?.outcome ?? 'not-found';
}

/** What happened to the job, in the words of the journal; a priority that moved nothing is only in the audit. */
function journalVerb({ journal }: AdminParts, { name }: Verb, { state, job }: Located, ready: LeasedJob | undefined): void {
  const entry = { worker: job.worker, job: jobRef(job) };
  if (name === 'breakpoint') journal.record({ ...entry, event: 'suspended', reason: 'breakpoint' });
  else if (name === 'setPriority') {
    if (ready !== undefined && ready.lane !== job.lane) journal.record({ ...entry, event: 'rerouted', reason: ready.lane });
  } else journal.record({ ...entry, event: state === 'suspended' ? 'activated' : 'rescheduled', reason: name });
}

function auditOf(parts: AdminParts, { name, id, told, detail }: Verb, { job }: Located, { token, now }: LetGoTerms) {
  const reason = checkText(told.reason, 'reason');
  const entry = {
    verb: name,
    actor: actorOf(parts, told.actor),
    at: now,
    jobId: id,
    type: job.type,
    ...(job.tenant === undefined ? {} : { tenant: job.tenant }),
    ...(reason === undefined ? {} : { reason }),
    ...(detail === undefined ? {} : { detail }),
  };
  return auditWrite(entry, token);
}
