import { UnauditedError } from '../core/errors.ts';
import { checkJobId } from '../core/job-id.ts';
import { cutToBytes } from '../core/limits.ts';
import { audit, type AuditEntry } from '../features/audit/store/audit.ts';
import { locate } from '../store/locate.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { BatchVerbs } from '../features/batches/admin/batch-verbs.ts';
import type { CancelWatch, CancelWhereOptions, CancelWhereReport, CancelWhereVerb } from './cancel-where.ts';
import type { EventVerbs } from '../features/events/admin/event-verbs.ts';
import type { JobFilter } from './jobs/job-filter.ts';
import { checkTries, forEachId, type RetryVerbs } from './retries.ts';
import type { ScheduleAdmin } from '../features/schedules/admin/schedules.ts';

/** The verbs whose transaction lies elsewhere: what they did is written down right after it. */
export interface LaterAudited
  extends RetryVerbs, CancelWhereVerb, Pick<BatchVerbs, 'sealBatch' | 'cancelBatch'>, Pick<EventVerbs, 'switchEvents'> {
  readonly schedules: ScheduleAdmin;
}

/** A filter may name hundreds of values. */
const SCOPE_BYTES = 2_048;
const CHANGED = new Set(['redriven', 'set', 'rescheduled']);

/** Built here from the verb for one job, so that an entry that is not taken fails one id and not the report of all. */
type ForMany = 'redriveMany' | 'setRetriesMany' | 'setDueDateMany';

/** The same verbs, each with an entry in the audit for what it changed. Throws UnauditedError when it is done and the store did not take its entry. */
export function audited(
  deps: AdminDeps,
  verbs: Omit<LaterAudited, ForMany | 'cancelWhere'> & { readonly cancelWhere: CancelWatched },
): LaterAudited {
  const job = async <Outcome extends string>(
    verb: string,
    id: string,
    work: Promise<Outcome>,
    told: Partial<AuditEntry> = {},
  ): Promise<Outcome> => {
    const outcome = await work;
    if (CHANGED.has(outcome)) await noted(verb, outcome, async () => noteJob(deps, verb, id, told));
    return outcome;
  };
  const scoped: Scoped = async (verb, scope, work, told = {}) => {
    const answer = await work;
    if (answer !== false && answer !== undefined) await noted(verb, answer, async () => note(deps, { verb, scope, ...told }));
    return answer;
  };
  const redrive: RetryVerbs['redrive'] = async (id, options) =>
    job('redrive', id, verbs.redrive(id, options), {
      ...given({ actor: options?.actor, reason: options?.reason }),
      ...(options?.payload === undefined ? {} : { detail: 'with another payload' }),
    });
  const setRetries: RetryVerbs['setRetries'] = async (id, more) =>
    job('setRetries', id, verbs.setRetries(id, more), { detail: String(more) });
  const setDueDate: RetryVerbs['setDueDate'] = async (id, when) => job('setDueDate', id, verbs.setDueDate(id, when));
  return {
    redrive,
    redriveMany: async (ids, options) => forEachId(ids, async (id) => redrive(id, options)),
    setRetries,
    async setRetriesMany(ids, more) {
      checkTries(more, 'retries');
      return forEachId(ids, async (id) => setRetries(id, more));
    },
    setDueDate,
    setDueDateMany: async (ids, when) => forEachId(ids, async (id) => setDueDate(id, when)),
    cancelWhere: auditedCancel(deps, verbs.cancelWhere),
    sealBatch: async (id) => scoped('sealBatch', `batch#${id}`, verbs.sealBatch(id)),
    cancelBatch: async (id) => scoped('cancelBatch', `batch#${id}`, verbs.cancelBatch(id)),
    switchEvents: async (sinks) => scoped('switchEvents', 'events', verbs.switchEvents(sinks), { detail: JSON.stringify(sinks) }),
    schedules: auditedSchedules(verbs.schedules, scoped),
  };
}

type CancelWatched = (
  filter: JobFilter,
  options: CancelWhereOptions | undefined,
  watch: CancelWatch,
) => ReturnType<CancelWhereVerb['cancelWhere']>;

/** An entry before the first job is cancelled, and one with the counts at the end, however it comes. */
function auditedCancel(deps: AdminDeps, cancel: CancelWatched): CancelWhereVerb['cancelWhere'] {
  return async (filter, options) => {
    const { actor, reason } = options ?? {};
    const tenant = typeof filter?.tenant === 'string' ? filter.tenant : undefined;
    const tell = async (detail: string): Promise<void> =>
      note(deps, {
        verb: 'cancelWhere',
        scope: cutToBytes(JSON.stringify(filter), SCOPE_BYTES),
        detail,
        ...given({ actor, reason, tenant }),
      });
    const counted = (done: Pick<CancelWhereReport, 'cancelled' | 'requested'>): string =>
      `${done.cancelled} cancelled, ${done.requested} asked to stop`;
    let hasBegun = false;
    const report = await cancel(filter, options, {
      async begins() {
        await tell('began');
        hasBegun = true;
      },
      // The error that ended the call is the one to tell.
      fails: async (done) => tell(`failed after ${counted(done)}`).catch(() => undefined),
    });
    if (hasBegun) await noted('cancelWhere', report, async () => tell(counted(report)));
    return report;
  };
}

type Scoped = <Answer>(verb: string, scope: string, work: Promise<Answer>, told?: Partial<AuditEntry>) => Promise<Answer>;

function auditedSchedules(schedules: ScheduleAdmin, scoped: Scoped): ScheduleAdmin {
  return {
    ...schedules,
    put: async (definition) => scoped('schedules.put', scopeOf(definition.name), schedules.put(definition)),
    delete: async (name) => scoped('schedules.delete', scopeOf(name), schedules.delete(name)),
    pause: async (name, why) => scoped('schedules.pause', scopeOf(name), schedules.pause(name, why), given({ ...why })),
    resume: async (name) => scoped('schedules.resume', scopeOf(name), schedules.resume(name)),
    runNow: async (name) => scoped('schedules.runNow', scopeOf(name), schedules.runNow(name)),
  };
}

const scopeOf = (schedule: string): string => `schedule#${schedule}`;

function given<Told extends object>(told: Told): { readonly [Name in keyof Told]?: NonNullable<Told[Name]> } {
  return Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined)) as never;
}

/** The verb has its answer by now: who is told only that the store failed would do it again. */
async function noted(verb: string, answer: unknown, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (cause) {
    throw new UnauditedError(verb, answer, cause);
  }
}

async function noteJob(deps: AdminDeps, verb: string, id: string, told: Partial<AuditEntry>): Promise<void> {
  const found = await locate(deps.tables, checkJobId(id));
  await note(deps, { verb, jobId: id, ...given({ type: found?.job.type, tenant: found?.job.tenant }), ...told });
}

async function note(deps: AdminDeps, entry: Partial<AuditEntry> & Pick<AuditEntry, 'verb'>): Promise<void> {
  await audit(deps.tables, { actor: deps.actor ?? 'operator', ...entry, at: deps.clock.now() }, deps.entropy.token());
}
