import type { Job } from '../shared/job/job.ts';
import { type MergePatch, patchedText } from '../shared/job/merge-patch.ts';
import { decodeText } from '../shared/job/payload-codec.ts';
import { decodePayload } from '../shared/job/payload.ts';
import { isNewer, liftPayload } from '../shared/job/upcast.ts';
import { validatePayload } from '../shared/job/validate.ts';
import type { CodedEdit } from '../shared/store/edit-job.ts';
import type { AdminDeps } from './admin-deps.ts';
import { readsPayload, storedText } from './coded-payload.ts';

/**
 * Why a payload cannot be patched. `newer-version`: code that this session does not have wrote it. `encoded`: the session has no type with its
 * codec. `no-object`: a text, a number or a list.
 */
export type Unpatchable = 'newer-version' | 'encoded' | 'no-object';

/** What a patch makes of a payload as it is stored; the version only where the session knows the type. */
export interface PatchedPayload extends Pick<CodedEdit, 'codec' | 'state'> {
  readonly payload: string;
  readonly schemaVersion?: number;
}

/** What a patch does to a payload, as JSON. */
export interface PatchedJson {
  readonly before: string;
  readonly after: string;
}

/**
 * The payload of a job without and with a patch. Where the session knows the type, an encoded payload is decoded and an older one lifted
 * first, and the result must fit the schema. Throws InvalidInputError that names the path, UpcastThrewError, DefinitionThrewError,
 * PayloadTooLargeError, PayloadCodecError.
 */
export async function patchedJson(deps: AdminDeps, job: Job, patch: MergePatch): Promise<PatchedJson | Unpatchable> {
  if (!readsPayload(deps, job)) return 'encoded';
  const type = deps.jobTypes?.get(job.type);
  const { schemaVersion } = job;
  if (type !== undefined && isNewer(type, job)) return 'newer-version';
  const before = type === undefined ? job.payload : await decodeText(type, job);
  const lifted =
    type === undefined || schemaVersion === type.schemaVersion
      ? before
      : JSON.stringify(liftPayload(type, { payload: before, schemaVersion }));
  const after = patchedText(lifted, patch, type?.codec?.payloadBytes);
  if (after === undefined) return 'no-object';
  if (type !== undefined) await validatePayload(type.schema, type.name, decodePayload(after));
  return { before, after };
}

/** The same as the job's row will keep it; a payload that the patch does not change stays as it is stored. */
export async function patchedPayload(deps: AdminDeps, job: Job, patch: MergePatch): Promise<PatchedPayload | Unpatchable> {
  const json = await patchedJson(deps, job, patch);
  if (typeof json === 'string') return json;
  const type = deps.jobTypes?.get(job.type);
  if (type === undefined) return { payload: json.after };
  const { schemaVersion } = type;
  if (json.after === json.before && job.schemaVersion === schemaVersion) return { payload: job.payload, schemaVersion, ...codecOf(job) };
  return { ...(await storedText(type, json.after, job)), schemaVersion };
}

const codecOf = ({ codec }: Job): Pick<CodedEdit, 'codec'> => (codec === undefined ? {} : { codec });
