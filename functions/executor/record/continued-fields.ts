import type { LeasedJob, Scalar } from '../../../shared/job/job.ts';
import type { AnyJobType } from '../../../shared/job/job-type.ts';
import { liftedFields } from '../../../shared/job/upcast.ts';

/**
 * What a row gets for its next run: the state, and with it a payload of an older version as this version of the code reads it. Both are
 * encoded by the codec that the row has. Throws what a step throws now and did not before the run, or PayloadCodecError.
 */
export async function continuedFields(type: AnyJobType, job: LeasedJob, state: string): Promise<Readonly<Record<string, Scalar>>> {
  const codec = job.codec === undefined ? undefined : type.codecs?.get(job.codec);
  if (codec === undefined) return { state, ...liftedFields(type, job) };
  return codec.continued(type, job, state);
}
