import type { OperatorDeps } from '../../../operator/operator-deps.ts';
import { type AuditOptions, type AuditPage, type AuditRecord, readAudit } from './audit-log.ts';

/** The audit of the whole deployment. */
export interface AuditVerbs {
  /** What operators did on a day, newest first. */
  audit(options?: AuditOptions): Promise<readonly AuditRecord[]>;
  /** As above, with the cursor of the next page. */
  auditPage(options?: AuditOptions): Promise<AuditPage>;
}

/** The entries that name one tenant. */
export interface TenantAuditVerbs {
  audit(options?: Omit<AuditOptions, 'tenant'>): Promise<readonly AuditRecord[]>;
  auditPage(options?: Omit<AuditOptions, 'tenant'>): Promise<AuditPage>;
}

/** Creates the verbs. */
export function auditVerbs(deps: OperatorDeps): AuditVerbs {
  return {
    audit: async (options) => (await readAudit(deps, options)).entries,
    auditPage: async (options) => readAudit(deps, options),
  };
}

/** Creates the verbs of one tenant. */
export function tenantAuditVerbs(deps: OperatorDeps, tenant: string): TenantAuditVerbs {
  return {
    audit: async (options = {}) => (await readAudit(deps, { ...options, tenant })).entries,
    auditPage: async (options = {}) => readAudit(deps, { ...options, tenant }),
  };
}
