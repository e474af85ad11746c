import { defined } from '../shared/job/defined.ts';
import { cutToBytes } from '../shared/job/size-limits.ts';
import { type AuditContext, checkContext } from '../shared/operator/act.ts';
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
  const scoped: Scoped = async (entry, context, act) => {
    const said = checkContext(context);
    const answer = await act(said);
    if (answer !== false && answer !== undefined) await noted(entry.verb, answer, async () => note(deps, { ...entry, ...said }));
    return answer;
  };
  return {
    cancelWhere: auditedCancel(deps, verbs.cancelWhere),
    sealBatch: async (id, context) => scoped({ verb: 'sealBatch', scope: `batch#${id}` }, context, async () => verbs.sealBatch(id)),
    cancelBatch: async (id, context) => scoped({ verb: 'cancelBatch', scope: `batch#${id}` }, context, async () => verbs.cancelBatch(id)),
    switchEvents: async (sinks) =>
      scoped({ verb: 'switchEvents', scope: 'events', detail: JSON.stringify(sinks) }, undefined, async () => verbs.switchEvents(sinks)),
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

/** Checks the context, acts, and writes the entry if something was changed. */
type Scoped = <Answer>(
  entry: Pick<OperatorAct, 'verb' | 'scope' | 'detail'>,
  context: AuditContext | undefined,
  act: (context: AuditContext) => Promise<Answer>,
) => Promise<Answer>;

function auditedSchedules(schedules: Unaudited['schedules'], scoped: Scoped): Unaudited['schedules'] {
  const entry = (verb: string, name: string) => ({ verb, scope: scopeOf(name) });
  return {
    ...schedules,
    put: async (definition, context) => scoped(entry('schedules.put', definition.name), context, async () => schedules.put(definition)),
    edit: async (name, edit, options) => {
      const context = checkContext(options, ['hash']);
      const outcome = await schedules.edit(name, edit, options);
      const edited = { ...entry('schedules.edit', name), detail: editedFields(edit).join(', ') };
      if (outcome === 'edited') await scoped(edited, context, async () => Promise.resolve(outcome));
      return outcome;
    },
    delete: async (name, context) => scoped(entry('schedules.delete', name), context, async () => schedules.delete(name)),
    pause: async (name, context) => scoped(entry('schedules.pause', name), context, async (said) => schedules.pause(name, said)),
    resume: async (name, context) => scoped(entry('schedules.resume', name), context, async () => schedules.resume(name)),
    runNow: async (name, context) => scoped(entry('schedules.runNow', name), context, async () => schedules.runNow(name)),
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
