import { InvalidInputError } from '../core/errors.ts';
import { checkJobId } from '../core/job-id.ts';
import { checkText } from '../core/names.ts';
import { locate } from '../store/locate.ts';
import type { Admin, AdminParts } from './admin.ts';
import { type AuditOptions, type AuditRecord, readAudit } from './audit-log.ts';
import type { CancelWhereReport, CancelWhereOptions } from './cancel-where.ts';
import { historyReader, type ReadHistory } from './history.ts';
import { type JobVerbs, jobVerbs } from './job-verbs.ts';
import { countJobs, type JobCounts, type JobPage, listJobs, type ListOptions } from './list-jobs.ts';
import type { JobFilter } from './matching-jobs.ts';
import { type RuleVerbs, ruleVerbs } from './rule-verbs.ts';

/**
 * What an operator can do for one tenant. Jobs of others are `not-found`, lists and counts leave them out, and a scope that is not
 * `{ tenant }` with its own name is refused. It keeps honest code from mistakes; it is no wall, because credentials are the deployment's.
 */
export interface TenantAdmin extends RuleVerbs, JobVerbs, Pick<Admin, 'redrive' | 'setRetries' | 'setDueDate'> {
  readonly tenant: string;
  list(options: Omit<ListOptions, 'tenant'>): Promise<JobPage>;
  count(options?: { readonly type?: string; readonly maxReadUnits?: number }): Promise<JobCounts>;
  audit(options?: Omit<AuditOptions, 'tenant'>): Promise<readonly AuditRecord[]>;
  readonly history: ReadHistory;
  cancelWhere(filter: Omit<JobFilter, 'tenant'>, options?: CancelWhereOptions): Promise<CancelWhereReport>;
}

/** The verbs of `admin`, for one tenant. Throws InvalidInputError for a name that no tenant can have. */
export function tenantAdmin(
  parts: AdminParts,
  admin: Pick<Admin, 'redrive' | 'setRetries' | 'setDueDate' | 'cancelWhere'>,
  name: string,
): TenantAdmin {
  const tenant = checkText(name, 'tenant');
  if (tenant === undefined) throw new InvalidInputError('tenant', name, 'Name the tenant.');
  const own = async <Outcome>(id: string, work: () => Promise<Outcome>): Promise<Outcome | 'not-found'> => {
    // A job's tenant never changes, so a look before is as good as a condition.
    const found = await locate(parts.tables, checkJobId(id));
    return found?.job.tenant === tenant ? work() : 'not-found';
  };
  return {
    tenant,
    ...ruleVerbs(parts, tenant),
    ...jobVerbs(parts, tenant),
    redrive: async (id, options) => own(id, async () => admin.redrive(id, options)),
    setRetries: async (id, more) => own(id, async () => admin.setRetries(id, more)),
    setDueDate: async (id, when) => own(id, async () => admin.setDueDate(id, when)),
    list: async (options) => listJobs(parts.tables, { ...options, tenant }),
    count: async (options = {}) => countJobs(parts.tables, { ...options, tenant }),
    history: historyReader(parts, tenant),
    audit: async (options = {}) => readAudit(parts, { ...options, tenant }),
    cancelWhere: async (filter, options) => admin.cancelWhere({ ...filter, tenant }, options),
  };
}
