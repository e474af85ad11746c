import type { AnyJobType } from './job-type.ts';
import { type CodedPayload, decodeText } from './payload-codec.ts';
import { liftPayload } from './upcast.ts';

/** The value of a stored payload, decoded and lifted to the version of the code. Throws as `decodeText` and `liftPayload` do. */
export async function liftStored(type: AnyJobType, job: CodedPayload & { readonly schemaVersion: number }): Promise<unknown> {
  return liftPayload(type, { payload: await decodeText(type, job), schemaVersion: job.schemaVersion });
}
