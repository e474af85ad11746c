import { defined } from '../shared/job/defined.ts';
import type { Job } from '../shared/job/job.ts';
import type { AnyJobType } from '../shared/job/job-type.ts';
import { type CodedPayload, decodeText, knowsCodec, type TypeCodecs } from '../shared/job/payload-codec.ts';
import type { CodedEdit } from '../shared/store/edit-job.ts';
import type { AdminDeps } from './admin-deps.ts';

/** Why a verb left a payload alone that it could not have encoded again. */
export const ENCODED = 'Its payload is encoded, and this session has no job type with the codec for it: nothing was changed.';

/** Whether the session can read a payload: it is not encoded, or the session has its type with its codec. */
export function readsPayload({ jobTypes }: Pick<AdminDeps, 'jobTypes'>, job: Pick<CodedPayload, 'type' | 'codec'>): boolean {
  return job.codec === undefined || knowsCodec(jobTypes?.get(job.type) ?? {}, job);
}

/**
 * JSON as a row of this type keeps it, and the codec, if the row has or gets one: undefined takes the mark away from a row that is stored as
 * JSON now.
 */
export async function storedText(
  type: AnyJobType,
  json: string,
  job: Job,
): Promise<Pick<CodedEdit, 'codec' | 'state'> & { readonly payload: string }> {
  const encoded = type.codec === undefined ? { payload: json } : await type.codec.encode(json, job);
  if (job.codec === undefined && !('codec' in encoded)) return encoded;
  return { codec: undefined, ...encoded, ...(await recodedState(type, type, { job, to: job, codec: encoded.codec })) };
}

/** The state of a handler, for a row that gets this codec; nothing if there is none. */
async function recodedState(
  from: TypeCodecs,
  into: TypeCodecs,
  { job, to, codec }: { readonly job: Job; readonly to: Job; readonly codec: string | undefined },
): Promise<Pick<CodedEdit, 'state'>> {
  if (job.state === undefined) return {};
  const json = await decodeText(from, job, job.state);
  return defined({ state: codec === undefined ? json : await into.codecs?.get(codec)?.encodeState(json, to) });
}

/**
 * What changes in the row of a job that gets another tenant or type, which its codec may have bound its payload to: nothing for one that is
 * not encoded. `encoded`: the session lacks its codec, or the new type has none. Throws PayloadCodecError.
 */
export async function recoded({ jobTypes }: AdminDeps, job: Job, to: Job): Promise<CodedEdit | 'encoded'> {
  if (job.codec === undefined) return {};
  const from: TypeCodecs = jobTypes?.get(job.type) ?? {};
  const into: TypeCodecs = jobTypes?.get(to.type) ?? {};
  const codec = into.codecs?.get(job.codec) ?? into.codec;
  if (codec === undefined || !knowsCodec(from, job)) return 'encoded';
  const encoded = await codec.encode(await decodeText(from, job), to);
  return { codec: undefined, ...encoded, ...(await recodedState(from, into, { job, to, codec: encoded.codec })) };
}
