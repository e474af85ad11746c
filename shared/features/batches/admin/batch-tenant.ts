import { actOf, type AuditContext } from '../../../operator/act.ts';
import type { OperatorDeps } from '../../../operator/operator-deps.ts';
import { recordWrites } from '../../operator-records.ts';
import { defined } from '../../../job/defined.ts';
import { BatchUnknownError } from '../../../job/errors.ts';
import { checkTenantOrNull, checkText } from '../../../job/names.ts';
import type { BatchProgress } from '../model/batch-snapshot.ts';
import { changeBatchTenant } from '../store/change-batch-tenant.ts';

/** The verb that moves a batch to another tenant. */
export interface BatchTenantVerb {
  /**
   * Another tenant, or none with `null`, for a batch and its callbacks that are not enqueued yet. After it its jobs may follow:
   * `bulk({ verb: 'change-tenant', tenant }, { batch: id })`. Throws BatchUnknownError.
   */
  changeBatchTenant(id: string, tenant: string | null, context?: AuditContext): Promise<BatchProgress>;
}

/** Creates the verb. `look` reads the progress of a batch. */
export function batchTenantVerb(deps: OperatorDeps, look: (id: string) => Promise<BatchProgress | undefined>): BatchTenantVerb {
  return {
    async changeBatchTenant(id, to, context) {
      const tenant = checkTenantOrNull(to);
      const batch = checkText(id, 'id') ?? '-';
      const detail = tenant === undefined ? 'to none' : `to ${tenant}`;
      const act = actOf(deps, { verb: 'changeBatchTenant', scope: `batch#${batch}`, detail }, context);
      const token = deps.entropy.token();
      const records = (before: string | undefined) => recordWrites({ ...act, ...defined({ tenant: before }) }, token);
      const changed = await changeBatchTenant(deps.tables, batch, tenant, { token, records });
      const progress = changed ? await look(batch) : undefined;
      if (progress === undefined) throw new BatchUnknownError(batch);
      return progress;
    },
  };
}
