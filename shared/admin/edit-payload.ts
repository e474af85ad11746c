import { defined } from '../core/defined.ts';
import { InvalidInputError } from '../core/errors.ts';
import { checkJobId } from '../core/job-id.ts';
import { checkOptions } from '../core/names.ts';
import { decodePayload, encodePayload } from '../core/payload.ts';
import { validatePayload } from '../core/validate.ts';
import { planPayload } from '../store/edit-job.ts';
import { locate } from '../store/locate.ts';
import type { AdminDeps } from './admin-deps.ts';
import { type AuditContext, changeJob, type OperatorVerb, requeuedEvent } from './change-job.ts';
import type { NotDone } from './verbs/verb.ts';

/** The verb that changes what a job was given. It is for one job alone: its argument is a document. */
export interface EditPayloadVerb {
  /**
   * Another payload for a job that does not run, checked against its type's schema where the admin knows the type (`jobs` of
   * `createAdmin`). `rev`: the one that was seen. Group, key and priority were computed when the job was enqueued and stay as they
   * are; a parked job goes back to its queue and asks its limits again. `unreadable`: a dead letter that holds a damaged row; delete it.
   */
  editPayload(
    id: string,
    payload: unknown,
    told?: AuditContext & { readonly rev?: number },
  ): Promise<'edited' | 'changed' | 'unreadable' | NotDone>;
}

/** Creates the verb; with a `tenant` the jobs of all others are `not-found`. */
export function editPayloadVerb(deps: AdminDeps, tenant?: string): EditPayloadVerb {
  return {
    async editPayload(id, payload, told = {}) {
      const verb: OperatorVerb = {
        name: 'editPayload',
        id,
        told,
        more: ['rev'],
        event: requeuedEvent('editPayload'),
        ...defined({ tenant }),
      };
      checkOptions(told, ['actor', 'reason', 'rev'], 'options');
      const { rev } = told;
      if (rev !== undefined) checkRev(rev);
      const edit = await checkedPayload(deps, id, payload);
      return changeJob(deps, verb, (found, terms) => planPayload(found, { ...edit, ...defined({ rev }) }, terms));
    },
  };
}

/** A revision as `find` shows it. */
export function checkRev(rev: unknown): number {
  if (typeof rev === 'number' && Number.isSafeInteger(rev)) return rev;
  throw new InvalidInputError('rev', rev, 'Give the `rev` of the job as it was seen.');
}

/**
 * A payload as it is stored, checked against the schema of the job's type where the operator's session knows it. Throws
 * InvalidInputError that names the path, PayloadTooLargeError.
 */
export async function checkedPayload(
  deps: AdminDeps,
  id: string,
  payload: unknown,
): Promise<{ readonly payload: string; readonly schemaVersion?: number }> {
  const text = encodePayload(payload);
  const { jobTypes } = deps;
  checkJobId(id);
  if (jobTypes === undefined || jobTypes.size === 0) return { payload: text };
  // A job never changes its type, so a look before is as good as a condition.
  const type = jobTypes.get((await locate(deps.tables, id))?.job.type ?? '');
  if (type === undefined) return { payload: text };
  await validatePayload(type.schema, type.name, decodePayload(text));
  return { payload: text, schemaVersion: type.schemaVersion };
}
