import { defined } from '../../shared/job/defined.ts';
import type { JobState } from '../../shared/job/job.ts';
import { checkJobId } from '../../shared/job/job-id.ts';
import { checkFlag, checkOptions, checkText } from '../../shared/job/names.ts';
import { leaveErrorGroup } from '../../shared/features/error-groups/admin/leave-error-group.ts';
import { jobRef } from '../../shared/ports/journal.ts';
import { cancelTerms } from '../../shared/store/cancel.ts';
import { deleteJob } from '../../shared/store/delete-job.ts';
import { actorOf, type AuditContext } from '../../shared/operator/act.ts';
import type { AdminDeps } from '../admin-deps.ts';
import { auditOf, type OperatorVerb } from '../change-job.ts';
import { waitForPutWindow } from '../wait-for-put-window.ts';
import type { JobVerb, NotDone } from './verb.ts';

/** Options of a delete, besides `actor` and `reason`. */
export interface DeleteOptions extends AuditContext {
  /** Also a job that waits, is parked, ready or suspended: it ends as cancelled. Default: dead letters only. */
  readonly live?: boolean;
}

/** The verb for one job. */
export interface DeleteVerb {
  /**
   * Removes a dead letter for good; its error group and the audit remember it. With `live` also a job in any other state but `running`: as a cancel
   * of it, but one that runs by now is left alone.
   */
  delete(id: string, options?: DeleteOptions): Promise<'deleted' | NotDone>;
}

/** What to do to each job in bulk. */
export interface DeleteAction {
  readonly verb: 'delete';
  /** Also jobs that wait, are parked, ready or suspended, as far as the filter means them. */
  readonly live?: boolean;
}

const IDLE: readonly JobState[] = ['waiting', 'parked', 'suspended', 'ready'];

/** Deletes dead letters, and jobs that do not run. */
export const deleteVerb: JobVerb<DeleteAction, DeleteVerb> = {
  name: 'delete',
  method: 'delete',
  acts: [...IDLE, 'dead'],
  // It would remove work that is still to be done, so that has to be said.
  means: ['dead'],
  actsOn: ({ live }) => (live === true ? [...IDLE, 'dead'] : ['dead']),
  arguments: [
    {
      field: 'live',
      kind: 'flag',
      widens: true,
      flag: { flags: '--live', doc: 'also jobs that wait, are parked, ready or suspended; they end as cancelled' },
    },
  ],
  context: 'optional',
  done: ['deleted'],
  repeated: ({ live }) => (live === true ? ['not-found', 'finished'] : ['not-found']),
  actsOnUnreadable: true,
  command: {
    summary: 'removes dead letters for good; jobs delete --live also ends jobs that wait, are parked, ready or suspended, as cancelled',
    past: 'deleted for good',
    of: { jobs: 97, 'dead-letters': 20 },
    refuses: true,
  },
  button: {
    action: 'delete',
    place: 100,
    label: 'Delete',
    doing: 'deleting',
    danger: true,
    confirm: 'The dead letter is removed for good. This cannot be undone.',
    leadsTo: '/dead-letters',
  },
  check: ({ verb, live }) => ({ verb, ...(checkFlag(live, 'live') === true ? { live: true } : {}) }),
  methods: (deps, tenant) => ({
    delete: async (id, options = {}) => {
      checkOptions(options, ['actor', 'reason', 'live'], 'options');
      const { live, ...context } = options;
      return remove(deps, { name: 'delete', id, context, ...defined({ tenant }) }, checkFlag(live, 'live') === true);
    },
  }),
  act: async (on, id, { verb: _verb, ...options }, context) => on.delete(id, { ...options, ...context }),
  says: () => 'Deleted for good.',
};

async function remove(deps: AdminDeps, verb: OperatorVerb, live: boolean): Promise<'deleted' | NotDone> {
  const { context, tenant } = verb;
  const id = checkJobId(verb.id);
  const cancelReason = checkText(context.reason, 'reason');
  if (live) await waitForPutWindow(deps, id);
  const terms = { ...cancelTerms(deps), live, cancelledBy: actorOf(deps, context.actor), ...defined({ cancelReason, tenant }) };
  const done = await deleteJob(deps.tables, id, terms, (job) =>
    auditOf(deps, { ...verb, ...(job.fingerprint === undefined ? {} : { detail: `fingerprint ${job.fingerprint}` }) }, job, terms),
  );
  if ('dead' in done) await leaveErrorGroup(deps, { id, fingerprint: String(done.dead['fingerprint']) }, 'deleted');
  if ('job' in done) deps.journal.record({ event: 'cancelled', worker: done.job.worker, job: jobRef(done.job) });
  return done.outcome;
}
