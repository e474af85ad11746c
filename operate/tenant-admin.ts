import type { AttemptListOptions, AttemptPage } from './attempts/attempt-filter.ts';
import { attemptVerbs } from './attempts/list-attempts.ts';
import { InvalidInputError } from '../shared/job/errors.ts';
import { checkText } from '../shared/job/names.ts';
import type { AdminDeps } from './admin-deps.ts';
import { type TenantAuditVerbs, tenantAuditVerbs } from '../shared/features/audit/admin/audit-verbs.ts';
import type { BulkAction, BulkOptions, BulkReport, BulkVerbs } from './bulk/bulk-verbs.ts';
import type { CancelWhereOptions, CancelWhereReport, CancelWhereVerb } from './cancel-where.ts';
import { type EditPayloadVerb, editPayloadVerb } from './edit-payload.ts';
import { tenantEraseVerbs } from './erase/create-erase-verbs.ts';
import type { TenantEraseVerbs } from './erase/erasure.ts';
import { explainVerbs } from './explain/explain-verbs.ts';
import type { ExplainVerbs } from './explain/explanation.ts';
import { historyReader, type ReadHistory } from '../shared/features/history/admin/history.ts';
import type { JobFilter, ListOptions } from './jobs/job-filter.ts';
import type { JobView } from './jobs/job-view.ts';
import { readVerbs } from './jobs/read-jobs.ts';
import type { FindByKeyOptions, FoundByKey, JobCounts, JobPage } from './jobs/read-verbs.ts';
import { type RuleVerbs, ruleVerbs } from '../shared/features/rules/admin/rule-verbs.ts';
import { type TimelineVerb, timelineVerb } from './timeline.ts';
import { jobMethodsOf, type TenantJobMethods, verbNamed } from './verbs.ts';

/**
 * What an operator can do for one tenant. Jobs of others are `not-found`, lists and counts leave them out, and a scope that is not
 * `{ tenant }` with its own name is refused. It keeps honest code from mistakes; it is no wall, because credentials are the deployment's.
 */
export interface TenantAdmin
  extends TenantAuditVerbs, RuleVerbs, TenantJobMethods, EditPayloadVerb, ExplainVerbs, TimelineVerb, TenantEraseVerbs {
  readonly tenant: string;
  find(id: string): Promise<JobView | undefined>;
  findByKey(key: string, options?: Omit<FindByKeyOptions, 'tenant'>): Promise<FoundByKey>;
  list(options?: Omit<ListOptions, 'tenant'>): Promise<JobPage>;
  count(filter?: Omit<JobFilter, 'tenant'> & { readonly maxReadUnits?: number }): Promise<JobCounts>;
  readonly history: ReadHistory;
  attempts(options?: Omit<AttemptListOptions, 'tenant'>): Promise<AttemptPage>;
  cancelWhere(filter: Omit<JobFilter, 'tenant'>, options?: CancelWhereOptions): Promise<CancelWhereReport>;
  /** As `bulk`, for jobs of the tenant, without the verbs `change-tenant` and `move`. An empty filter means all of them. */
  bulk(action: BulkAction, filter: Omit<JobFilter, 'tenant'>, options?: BulkOptions): Promise<BulkReport>;
}

/** The verbs of `admin`, for one tenant. Throws InvalidInputError for a name that no tenant can have. */
export function tenantAdmin(deps: AdminDeps, admin: CancelWhereVerb & Pick<BulkVerbs, 'bulk'>, name: string): TenantAdmin {
  const tenant = checkText(name, 'tenant');
  if (tenant === undefined) throw new InvalidInputError('tenant', name, 'Name the tenant.');
  return {
    tenant,
    ...tenantAuditVerbs(deps, tenant),
    ...ruleVerbs(deps, tenant),
    ...jobMethodsOf(deps, tenant),
    ...editPayloadVerb(deps, tenant),
    ...explainVerbs(deps, tenant),
    ...timelineVerb(deps, tenant),
    ...tenantEraseVerbs(deps, tenant),
    ...readVerbs(deps, tenant),
    history: historyReader(deps, tenant),
    ...attemptVerbs(deps, tenant),
    cancelWhere: async (filter, options) => admin.cancelWhere({ ...filter, tenant }, options),
    async bulk(action, filter, options) {
      if (verbNamed(action?.verb)?.wholeDeployment === true) {
        throw new InvalidInputError('verb', action.verb, 'Only the admin of the whole deployment has this verb.');
      }
      return admin.bulk(action, { ...filter, tenant }, options);
    },
  };
}
