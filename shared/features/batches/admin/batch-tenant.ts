import { actOf, type AuditContext } from '../../../operator/act.ts';
import type { OperatorDeps } from '../../../operator/operator-deps.ts';
import { recordWrites } from '../../operator-records.ts';
import { defined } from '../../../job/defined.ts';
import { BatchUnknownError, InvalidInputError } from '../../../job/errors.ts';
import type { Job } from '../../../job/job.ts';
import { checkTenantOrNull, checkText } from '../../../job/names.ts';
import { decodeText, type EncodedPayload, type TypeCodecs } from '../../../job/payload-codec.ts';
import type { BatchProgress } from '../model/batch-snapshot.ts';
import { changeBatchTenant } from '../store/change-batch-tenant.ts';

/** The verb that moves a batch to another tenant. */
export interface BatchTenantVerb {
  /**
   * Another tenant, or none with `null`, for a batch and its callbacks that are not enqueued yet. After it its jobs may follow:
   * `bulk({ verb: 'change-tenant', tenant }, { batch: id })`. Encoded callbacks are encoded again. Throws BatchUnknownError, and InvalidInputError
   * if this session has no job type with the codec of a callback.
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
      const changed = await changeBatchTenant(deps.tables, batch, tenant, {
        token,
        records,
        recode: async (job, into) => recoded(deps, batch, { job, tenant: into }),
      });
      const progress = changed ? await look(batch) : undefined;
      if (progress === undefined) throw new BatchUnknownError(batch);
      return progress;
    },
  };
}

/** The payload of an encoded callback for another tenant, which its codec may have bound it to. It has no id: the row is its batch's. */
async function recoded(
  { jobTypes }: OperatorDeps,
  batch: string,
  { job, tenant }: { readonly job: Job; readonly tenant: string | undefined },
): Promise<EncodedPayload> {
  const type: TypeCodecs = jobTypes?.get(job.type) ?? {};
  const codec = type.codecs?.get(job.codec ?? '');
  if (codec === undefined) {
    const fix = `The payload of its callback ${job.type} is encoded by ${job.codec}. Use createAdmin({ jobs }) with that type and codec.`;
    throw new InvalidInputError('id', batch, fix);
  }
  const { id: _id, tenant: _tenant, ...rowless } = job;
  return codec.encode(await decodeText(type, job), { ...rowless, ...defined({ tenant }) });
}
