import { defined } from '../../core/defined.ts';
import { checkJobId } from '../../core/job-id.ts';
import { checkOptions } from '../../core/names.ts';
import { deleteDead } from '../../store/delete-dead.ts';
import type { AdminDeps } from '../admin-deps.ts';
import { type AuditContext, auditOf, type OperatorVerb } from '../change-job.ts';
import { leaveErrorGroup } from '../../features/error-groups/admin/leave-error-group.ts';
import type { JobVerb, NotDone } from './verb.ts';

/** The verb for one job. */
export interface DeleteVerb {
  /** Removes a dead letter for good; its error group and the audit remember it. */
  delete(id: string, told?: AuditContext): Promise<'deleted' | NotDone>;
}

/** What to do to each job in bulk. */
export interface DeleteAction {
  readonly verb: 'delete';
}

/** Deletes dead letters. */
export const deleteVerb: JobVerb<DeleteAction, DeleteVerb> = {
  name: 'delete',
  method: 'delete',
  acts: ['dead'],
  told: 'optional',
  done: ['deleted'],
  repeated: ['not-found'],
  actsOnUnreadable: true,
  command: { summary: 'removes dead letters for good', past: 'deleted for good', of: { 'dead-letters': 20 }, refuses: true },
  button: {
    action: 'delete',
    place: 100,
    label: 'Delete',
    doing: 'deleting',
    danger: true,
    confirm: 'The dead letter is removed for good. This cannot be undone.',
    leadsTo: '/dead-letters',
  },
  methods: (deps, tenant) => ({
    delete: async (id, told = {}) => deleteJob(deps, { name: 'delete', id, told, ...defined({ tenant }) }),
  }),
  act: async (on, id, _, told) => on.delete(id, told),
  says: () => 'Deleted for good.',
};

async function deleteJob(deps: AdminDeps, verb: OperatorVerb): Promise<'deleted' | NotDone> {
  checkOptions(verb.told, ['actor', 'reason'], 'options');
  const id = checkJobId(verb.id);
  const terms = { token: deps.entropy.token(), now: deps.clock.now(), ...defined({ tenant: verb.tenant }) };
  const done = await deleteDead(deps.tables, id, terms, (dead) =>
    auditOf(deps, { ...verb, detail: `fingerprint ${dead.fingerprint}` }, dead, terms),
  );
  if (done.outcome === 'deleted') await leaveErrorGroup(deps, { id, fingerprint: String(done.row['fingerprint']) }, 'deleted');
  return done.outcome;
}
