import { defined } from '../shared/job/defined.ts';
import { cutToBytes } from '../shared/job/size-limits.ts';
import type { OperatorAct } from '../shared/ports/operator-act.ts';
import type { AdminDeps } from './admin-deps.ts';
import { note, noted } from './audit-after.ts';
import type { BatchVerbs } from '../shared/features/batches/admin/batch-verbs.ts';
import type { CancelWatch, CancelWhereOptions, CancelWhereReport, CancelWhereVerb } from './cancel-where.ts';
import type { EventVerbs } from '../shared/features/events/admin/event-verbs.ts';
import type { JobFilter } from './jobs/job-filter.ts';
import type { BackfillOptions, BackfillWatch } from '../shared/features/schedules/admin/backfill.ts';
import { editedFields } from '../shared/features/schedules/model/edit.ts';
import type { ScheduleAdmin } from '../shared/features/schedules/admin/schedules.ts';

/** Verbs that do not write their own audit entry: it is written right after them. */
export interface LaterAudited extends CancelWhereVerb, Pick<BatchVerbs, 'sealBatch' | 'cancelBatch'>, Pick<EventVerbs, 'switchEvents'> {
  readonly schedules: ScheduleAdmin;
}

/** The verbs without entries; two of them are watched, because they have one before they begin. */
interface Unaudited extends Omit<LaterAudited, 'cancelWhere' | 'schedules'> {
  readonly cancelWhere: CancelWatched;
  readonly schedules: Omit<ScheduleAdmin, 'backfill'>;
  readonly backfill: (name: string, options: BackfillOptions, watch: BackfillWatch) => ReturnType<ScheduleAdmin['backfill']>;
}

/** A filter may name hundreds of values. */
const SCOPE_BYTES = 2_048;

/** The same verbs, each with an entry in the audit for what it changed. Throws UnauditedError when it is done and the store did not take its entry. */
export function audited(deps: AdminDeps, verbs: Unaudited): LaterAudited {
  const scoped: Scoped = async (verb, scope, work, context = {}) => {
    const answer = await work;
    if (answer !== false && answer !== undefined) await noted(verb, answer, async () => note(deps, { verb, scope, ...context }));
    return answer;
  };
  return {
    cancelWhere: auditedCancel(deps, verbs.cancelWhere),
    sealBatch: async (id) => scoped('sealBatch', `batch#${id}`, verbs.sealBatch(id)),
    cancelBatch: async (id) => scoped('cancelBatch', `batch#${id}`, verbs.cancelBatch(id)),
    switchEvents: async (sinks) => scoped('switchEvents', 'events', verbs.switchEvents(sinks), { detail: JSON.stringify(sinks) }),
    schedules: { ...auditedSchedules(verbs.schedules, scoped), backfill: auditedBackfill(deps, verbs.backfill) },
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
      // The error that ended the call is the one to report.
      fails: async (done) => tell(`failed after ${counted(done)}`).catch(() => undefined),
    });
    if (hasBegun) await noted('cancelWhere', report, async () => tell(counted(report)));
    return report;
  };
}

type Scoped = <Answer>(verb: string, scope: string, work: Promise<Answer>, context?: Partial<OperatorAct>) => Promise<Answer>;

function auditedSchedules(schedules: Unaudited['schedules'], scoped: Scoped): Unaudited['schedules'] {
  return {
    ...schedules,
    put: async (definition) => scoped('schedules.put', scopeOf(definition.name), schedules.put(definition)),
    edit: async (name, edit, options) => {
      const outcome = await schedules.edit(name, edit, options);
      const { actor, reason } = options ?? {};
      const context = defined({ actor, reason, detail: editedFields(edit).join(', ') });
      if (outcome === 'edited') await scoped('schedules.edit', scopeOf(name), Promise.resolve(outcome), context);
      return outcome;
    },
    delete: async (name) => scoped('schedules.delete', scopeOf(name), schedules.delete(name)),
    pause: async (name, why) => scoped('schedules.pause', scopeOf(name), schedules.pause(name, why), defined({ ...why })),
    resume: async (name) => scoped('schedules.resume', scopeOf(name), schedules.resume(name)),
    runNow: async (name) => scoped('schedules.runNow', scopeOf(name), schedules.runNow(name)),
  };
}

/** An entry before the first job is enqueued, and one with the counts at the end, however it comes. */
function auditedBackfill(deps: AdminDeps, backfill: Unaudited['backfill']): ScheduleAdmin['backfill'] {
  return async (name, options) => {
    const { actor, reason } = options ?? {};
    let about: Parameters<BackfillWatch['begins']>[0] | undefined;
    const tell = async (detail: string): Promise<void> => {
      const { range = '', tenant } = about ?? {};
      await note(deps, {
        verb: 'schedules.backfill',
        scope: scopeOf(name),
        detail: `${range}: ${detail}`,
        ...defined({ actor, reason, tenant }),
      });
    };
    const report = await backfill(name, options, {
      begins: async (of) => {
        about = of;
        await tell('began');
      },
      // The error that ended the call is the one to report.
      fails: async (enqueued) => tell(`failed after ${enqueued} enqueued`).catch(() => undefined),
    });
    if (about !== undefined && report !== undefined) {
      await noted('schedules.backfill', report, async () => tell(`${report.enqueued} enqueued, ${report.known} known`));
    }
    return report;
  };
}

const scopeOf = (schedule: string): string => `schedule#${schedule}`;
