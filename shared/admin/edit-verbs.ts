import { defined } from '../core/defined.ts';
import { InvalidInputError } from '../core/errors.ts';
import { checkJobId } from '../core/job-id.ts';
import { checkOptions, checkText } from '../core/names.ts';
import { decodePayload, encodePayload } from '../core/payload.ts';
import { validatePayload } from '../core/validate.ts';
import { planTenant } from '../store/change-tenant.ts';
import { deleteDead } from '../store/delete-dead.ts';
import { planPayload } from '../store/edit-job.ts';
import { locate } from '../store/locate.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { BulkVerbs } from './bulk/bulk-verbs.ts';
import { leaveErrorGroup } from '../features/error-groups/admin/leave-error-group.ts';
import { auditOf, changeJob, type OperatorVerb } from './change-job.ts';

/** The verbs that change what a job holds, or end a dead letter. */
export type EditVerbs = Pick<BulkVerbs, 'delete' | 'editPayload' | 'changeTenant'>;

/** Creates the verbs; with a `tenant` the jobs of all others are `not-found`. */
export function editVerbs(deps: AdminDeps, tenant?: string): EditVerbs {
  const own = tenant === undefined ? {} : { tenant };
  return {
    delete: async (id, told = {}) => deleteJob(deps, { name: 'delete', id, told, ...own }),
    async editPayload(id, payload, told = {}) {
      const verb: OperatorVerb = { name: 'editPayload', id, told, ...own, more: ['rev'] };
      checkOptions(told, ['actor', 'reason', 'rev'], 'options');
      const { rev } = told;
      if (rev !== undefined) checkRev(rev);
      const edit = await checkedPayload(deps, id, payload);
      return changeJob(deps, verb, (found, terms) => planPayload(found, { ...edit, ...defined({ rev }) }, terms));
    },
    async changeTenant(id, to, told = {}) {
      const moved = checkTenant(to);
      const verb: OperatorVerb = { name: 'changeTenant', id, told, ...own, detail: moved === undefined ? 'to none' : `to ${moved}` };
      return changeJob(deps, verb, async (found, terms) => planTenant(deps.tables, found, moved, terms));
    },
  };
}

/** A tenant, or undefined for `null`: none. An empty text is neither. */
export function checkTenant(tenant: unknown, field = 'tenant'): string | undefined {
  const name = tenant === null ? undefined : checkText(tenant, field);
  if (tenant !== null && name === undefined) throw new InvalidInputError(field, tenant, 'Name the tenant, or give null for none.');
  return name;
}

/** A revision as `find` shows it. */
export function checkRev(rev: unknown): number {
  if (typeof rev === 'number' && Number.isSafeInteger(rev)) return rev;
  throw new InvalidInputError('rev', rev, 'Give the `rev` of the job as it was seen.');
}

/**
 * A payload as it is stored, checked against the schema of the job's type where the operator's session knows it. Throws
 * InvalidInputError that names the path, PayloadTooLargeError.
 */
export async function checkedPayload(
  deps: AdminDeps,
  id: string,
  payload: unknown,
): Promise<{ readonly payload: string; readonly schemaVersion?: number }> {
  const text = encodePayload(payload);
  const { jobTypes } = deps;
  checkJobId(id);
  if (jobTypes === undefined || jobTypes.size === 0) return { payload: text };
  // A job never changes its type, so a look before is as good as a condition.
  const type = jobTypes.get((await locate(deps.tables, id))?.job.type ?? '');
  if (type === undefined) return { payload: text };
  await validatePayload(type.schema, type.name, decodePayload(text));
  return { payload: text, schemaVersion: type.schemaVersion };
}

async function deleteJob(deps: AdminDeps, verb: OperatorVerb) {
  checkOptions(verb.told, ['actor', 'reason'], 'options');
  const id = checkJobId(verb.id);
  const terms = { token: deps.entropy.token(), now: deps.clock.now(), ...defined({ tenant: verb.tenant }) };
  const done = await deleteDead(deps.tables, id, terms, (dead) =>
    auditOf(deps, { ...verb, detail: `fingerprint ${dead.fingerprint}` }, dead, terms),
  );
  if (done.outcome === 'deleted') await leaveErrorGroup(deps, { id, fingerprint: String(done.row['fingerprint']) }, 'deleted');
  return done.outcome;
}
