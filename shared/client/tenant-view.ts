import { InvalidInputError } from '../job/errors.ts';
import type { JobId } from '../job/job-id.ts';
import { checkText } from '../job/names.ts';
import { type Located, locate } from '../store/locate.ts';
import type { DraftDeps } from './client-deps.ts';

/** The tenant of a client for one; `present`: that of the client it is made from, which cannot be left for another. */
export function checkTenant(tenant: unknown, present?: string): string {
  const checked = checkText(tenant, 'tenant');
  if (checked === undefined) throw new InvalidInputError('tenant', tenant, 'Name the tenant: a string of 1 to 256 characters.');
  if (present !== undefined && checked !== present) {
    throw new InvalidInputError(
      'tenant',
      tenant,
      `This client works for tenant ${JSON.stringify(present)} alone. Use the client it was made from.`,
    );
  }
  return checked;
}

/** What a client may see: everything, or the jobs of its tenant. */
export interface TenantView {
  find(id: JobId): Promise<Located | undefined>;
  /** Whether a verb is allowed. Only an operator can change a job's tenant, so checking it first is safe; a client without a tenant checks nothing. */
  owns(id: JobId): Promise<boolean>;
}

/** The view of a client on the jobs of its deployment. */
export function tenantView({ tables, tenant }: Pick<DraftDeps, 'tables' | 'tenant'>): TenantView {
  const find = async (id: JobId): Promise<Located | undefined> => {
    const found = await locate(tables, id);
    return tenant === undefined || found?.job.tenant === tenant ? found : undefined;
  };
  return { find, owns: async (id) => tenant === undefined || (await find(id)) !== undefined };
}
