import { defined } from '../core/defined.ts';
import { cutToBytes } from '../core/limits.ts';
import type { AuditEntry } from '../features/audit/store/audit.ts';
import type { AdminDeps } from './admin-deps.ts';
import { note, noted } from './audit-after.ts';
import type { BatchVerbs } from '../features/batches/admin/batch-verbs.ts';
import type { CancelWatch, CancelWhereOptions, CancelWhereReport, CancelWhereVerb } from './cancel-where.ts';
import type { EventVerbs } from '../features/events/admin/event-verbs.ts';
import type { JobFilter } from './jobs/job-filter.ts';
import type { ScheduleAdmin } from '../features/schedules/admin/schedules.ts';

/** The verbs on many things whose transaction lies elsewhere: what they did is written down right after it. */
export interface LaterAudited extends CancelWhereVerb, Pick<BatchVerbs, 'sealBatch' | 'cancelBatch'>, Pick<EventVerbs, 'switchEvents'> {
  readonly schedules: ScheduleAdmin;
}

/** A filter may name hundreds of values. */
const SCOPE_BYTES = 2_048;

/** The same verbs, each with an entry in the audit for what it changed. Throws UnauditedError when it is done and the store did not take its entry. */
export function audited(deps: AdminDeps, verbs: Omit<LaterAudited, 'cancelWhere'> & { readonly cancelWhere: CancelWatched }): LaterAudited {
  const scoped: Scoped = async (verb, scope, work, told = {}) => {
    const answer = await work;
    if (answer !== false && answer !== undefined) await noted(verb, answer, async () => note(deps, { verb, scope, ...told }));
    return answer;
  };
  return {
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
        ...defined({ actor, reason, tenant }),
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
    pause: async (name, why) => scoped('schedules.pause', scopeOf(name), schedules.pause(name, why), defined({ ...why })),
    resume: async (name) => scoped('schedules.resume', scopeOf(name), schedules.resume(name)),
    runNow: async (name) => scoped('schedules.runNow', scopeOf(name), schedules.runNow(name)),
  };
}

const scopeOf = (schedule: string): string => `schedule#${schedule}`;
