import { defined } from '../job/defined.ts';
import { NightcrewError } from '../job/errors.ts';
import type { DeadLetter, Job, SuspendedJob } from '../job/job.ts';
import { decodePayload } from '../job/payload.ts';
import type { StoredPayload } from '../job/upcast.ts';
import type { Row } from '../ports/tables.ts';
import { decodeJob, withoutLease, withoutSuspension } from './job-codec.ts';

/**
 * The job of a quarantined row, if this version reads it: an older one may have quarantined what it did not know. It has the id of its
 * dead letter. `edit` takes the place of a payload that cannot be read. Undefined as long as anything of it is unreadable.
 */
export function readQuarantined(dead: DeadLetter, edit: Partial<StoredPayload> = {}): Job | undefined {
  try {
    const row: unknown = JSON.parse(dead.raw ?? '');
    if (typeof row !== 'object' || row === null) return undefined;
    const payload = dead.payload === '' ? {} : { payload: dead.payload };
    const job = decodeJob({ ...payload, ...(row as Row), ...defined(edit), id: dead.id });
    // It may have been cut. Of an encoded one its codec finds that out.
    if (job.codec === undefined || edit.payload !== undefined) decodePayload(job.payload);
    return withoutLease(withoutSuspension(job as SuspendedJob));
  } catch (error) {
    if (error instanceof NightcrewError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
