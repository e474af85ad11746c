import { checkJobId } from '../../shared/job/job-id.ts';
import { findRow } from '../../shared/store/find-row.ts';
import type { AdminDeps } from '../admin-deps.ts';

/** Does something to a job if it belongs to the tenant: any other is `not-found`. Without a tenant every job is meant. */
export async function ofTenant<Outcome>(
  deps: AdminDeps,
  { id, tenant }: { readonly id: string; readonly tenant: string | undefined },
  work: () => Promise<Outcome>,
): Promise<Outcome | 'not-found'> {
  if (tenant === undefined) return work();
  // Only an operator of the whole deployment can change a job's tenant, so checking it first is safe.
  const found = await findRow(deps.tables, checkJobId(id));
  return found?.row['tenant'] === tenant ? work() : 'not-found';
}
