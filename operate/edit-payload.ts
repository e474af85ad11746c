import { defined } from '../shared/job/defined.ts';
import { InvalidInputError } from '../shared/job/errors.ts';
import { checkJobId } from '../shared/job/job-id.ts';
import { checkOptions } from '../shared/job/names.ts';
import { decodePayload, encodePayload } from '../shared/job/payload.ts';
import { validatePayload } from '../shared/job/validate.ts';
import { type CodedEdit, planPayload } from '../shared/store/edit-job.ts';
import { locate } from '../shared/store/locate.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AuditContext } from '../shared/operator/act.ts';
import { readsPayload, storedText } from './coded-payload.ts';
import { changeJob, type OperatorVerb, requeuedEvent } from './change-job.ts';
import type { NotDone } from './verbs/verb.ts';

/** The verb that changes what a job was given. It is for one job alone: its argument is a document. */
export interface EditPayloadVerb {
  /**
   * Replaces the payload of a job that does not run, checked against its type's schema if the admin knows the type (`jobs` of
   * `createAdmin`). `rev`: the one that was seen. Group, key and priority were computed when the job was enqueued and stay as they
   * are; a parked job goes back to its queue and checks its limits again. `unreadable`: a dead letter that holds a damaged row; delete it.
   * `encoded`: its payload is, and the session has no type with its codec.
   */
  editPayload(
    id: string,
    payload: unknown,
    context?: AuditContext & { readonly rev?: number },
  ): Promise<'edited' | 'changed' | 'unreadable' | 'encoded' | NotDone>;
}

/** Creates the verb; with a `tenant` the jobs of all others are `not-found`. */
export function editPayloadVerb(deps: AdminDeps, tenant?: string): EditPayloadVerb {
  return {
    async editPayload(id, payload, context = {}) {
      const verb: OperatorVerb = {
        name: 'editPayload',
        id,
        context,
        more: ['rev'],
        event: requeuedEvent('editPayload'),
        ...defined({ tenant }),
      };
      checkOptions(context, ['actor', 'reason', 'rev'], 'options');
      const { rev } = context;
      if (rev !== undefined) checkRev(rev);
      const edit = await checkedPayload(deps, id, payload);
      return changeJob(deps, verb, (found, terms) => planPayload(found, { ...edit, ...defined({ rev: rev ?? edit.rev }) }, terms));
    },
  };
}

/** A revision as `find` shows it. */
export function checkRev(rev: unknown): number {
  if (typeof rev === 'number' && Number.isSafeInteger(rev)) return rev;
  throw new InvalidInputError('rev', rev, 'Give the `rev` of the job as you read it.');
}

/** A payload as it will be stored. `rev`: the row that an encoded one was made for. */
export interface CheckedPayload extends Pick<CodedEdit, 'codec' | 'state'> {
  readonly payload: string;
  readonly schemaVersion?: number;
  readonly rev?: number;
}

/**
 * A payload for storage, checked against the schema of the job's type if the operator's session knows it, and encoded by its codec. Throws
 * InvalidInputError that names the path, PayloadTooLargeError, PayloadCodecError.
 */
export async function checkedPayload(deps: AdminDeps, id: string, payload: unknown): Promise<CheckedPayload> {
  const { jobTypes } = deps;
  checkJobId(id);
  if (jobTypes === undefined || jobTypes.size === 0) return { payload: encodePayload(payload) };
  const found = await locate(deps.tables, id);
  // One that has ended is left alone.
  const type = jobTypes.get(found?.job.type ?? '');
  const text = encodePayload(payload, 'payload', type?.codec?.payloadBytes);
  if (found === undefined || found.state === 'finished' || type === undefined) return { payload: text };
  const { job } = found;
  await validatePayload(type.schema, type.name, decodePayload(text));
  const checked = { schemaVersion: type.schemaVersion };
  // The store leaves a payload alone that is encoded in a way that the session does not know.
  if (!readsPayload(deps, job)) return { payload: text, ...checked };
  const stored = await storedText(type, text, job);
  return { ...stored, ...checked, ...('codec' in stored ? { rev: job.rev } : {}) };
}
