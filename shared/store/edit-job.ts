import { defined } from '../job/defined.ts';
import type { Job, LeasedJob } from '../job/job.ts';
import type { Row } from '../ports/tables.ts';
import type { PlannedChange } from './change-located.ts';
import type { Located } from './locate.ts';
import { asFound, type Moved, readyWrites } from './moved-writes.ts';
import type { ResumeTerms } from './ready-row.ts';

/**
 * What became of an edit: `edited`, or `changed` for a row that is not the one that was seen, or the state that forbids it. `unreadable`: a
 * dead letter that holds a damaged row, which can only be deleted. `encoded`: its payload was encoded, and the new one is not meant to be.
 */
export type PayloadEdited = 'edited' | 'changed' | 'unreadable' | 'encoded' | 'running' | 'finished';

/** What a row keeps of a payload that was encoded, or may be: a `codec` that is named undefined is gone. */
export interface CodedEdit {
  readonly payload?: string;
  readonly codec?: string | undefined;
  readonly state?: string;
}

/** The job with other fields; those that are named undefined are gone. */
export interface JobEdit extends CodedEdit {
  readonly schemaVersion?: number;
  readonly tenant?: string | undefined;
  readonly worker?: string;
  readonly type?: string;
  readonly lane?: string;
  /** Of a dead letter: its key in the index by type. */
  readonly typeLeaf?: string;
}

/**
 * The writes that edit an idle job in place, conditional on the row that was read. Bookings and parking under limits
 * may apply to another key now: a booking is dropped, and a parked job becomes ready, so that it checks its limits again.
 */
export function editWrites(found: Exclude<Located, { state: 'finished' }>, edit: JobEdit, terms: ResumeTerms): Omit<Moved, 'job'> {
  const { job, table, key, state } = found;
  if (state === 'parked') return readyWrites(found, edited(job, edit), terms);
  const given = Object.entries(edit).filter(([, value]) => value !== undefined);
  const gone = Object.entries(edit).flatMap(([name, value]) => (value === undefined ? [name] : []));
  const set = Object.fromEntries(given) as Row;
  return { writes: [{ op: 'update', table, key, set, remove: [...gone, 'booked'], add: { rev: 1 }, condition: asFound(found) }] };
}

/** The job as it is after an edit. */
export function edited<Kind extends Job>(job: Kind, edit: JobEdit): Kind {
  const { booked: _booked, ...rest } = { ...job, ...edit };
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)) as unknown as Kind;
}

/** Whether it is a dead letter of a row that could not be read: nothing of it is a job that could be changed. */
export const isQuarantined = ({ state, job }: Located): boolean => state === 'dead' && job.reason === 'unreadable';

/** Whether a payload would take the place of an encoded one in the clear: the edit does not say what becomes of the codec. */
export const leavesEncoded = (job: Pick<Job, 'codec'>, edit: CodedEdit): boolean => job.codec !== undefined && !('codec' in edit);

/** Gives a job that does not run another payload. With a `rev` only the row that has it, else `changed`. */
export function planPayload(
  found: Located,
  edit: Required<Pick<JobEdit, 'payload'>> & Pick<JobEdit, 'schemaVersion' | 'codec'> & { readonly rev?: number },
  terms: ResumeTerms,
): PlannedChange<{ readonly outcome: PayloadEdited; readonly job?: LeasedJob }> {
  if (found.state === 'running' || found.state === 'finished') return { writes: [], answer: { outcome: found.state } };
  if (isQuarantined(found)) return { writes: [], answer: { outcome: 'unreadable' } };
  const { rev, ...fields } = edit;
  if (rev !== undefined && rev !== found.job.rev) return { writes: [], answer: { outcome: 'changed' } };
  if (leavesEncoded(found.job, fields)) return { writes: [], answer: { outcome: 'encoded' } };
  const { writes, ready } = editWrites(found, fields, terms);
  return { writes, answer: { outcome: 'edited', ...defined({ job: ready }) } };
}
