import { defined } from '../core/defined.ts';
import type { Job, LeasedJob } from '../core/job.ts';
import type { Row, Write } from '../ports/tables.ts';
import type { ResumeTerms } from './activate.ts';
import type { PlannedChange } from './change-located.ts';
import { all, noRow, notRunning, revIs } from './conditions.ts';
import type { Located } from './locate.ts';
import { readyRow } from './make-ready.ts';
import { jobRow } from './rows.ts';

/**
 * What became of an edit: `edited`, or `changed` for a row that is not the one that was seen, or the state that forbids it. `unreadable`: a
 * dead letter that holds a damaged row, which can only be deleted.
 */
export type PayloadEdited = 'edited' | 'changed' | 'unreadable' | 'running' | 'finished';

/** The job with other fields; those that are named undefined are gone. */
export interface JobEdit {
  readonly payload?: string;
  readonly schemaVersion?: number;
  readonly tenant?: string | undefined;
}

interface Made {
  readonly writes: readonly Write[];
  /** Its new row when the edit made it ready, for the hint. */
  readonly job?: LeasedJob;
}

/**
 * The writes that edit a job that does not run, where it lies and if it is as it was seen. What was booked or parked under limits
 * may concern another key of theirs now: a booking is forgotten, and a parked job is made ready, so that it asks them again.
 */
export function editWrites(found: Exclude<Located, { state: 'finished' }>, edit: JobEdit, terms: ResumeTerms): Made {
  const { job, table, key, state } = found;
  if (state === 'parked') {
    const ready = readyRow(edited(job, edit), terms);
    return {
      writes: [
        { op: 'delete', table, key, condition: revIs(job.rev) },
        { op: 'put', table: 'jobs', row: jobRow(ready), condition: noRow('id') },
      ],
      job: ready,
    };
  }
  const given = Object.entries(edit).filter(([, value]) => value !== undefined);
  const gone = Object.entries(edit).flatMap(([name, value]) => (value === undefined ? [name] : []));
  const condition = state === 'ready' ? all(notRunning, revIs(job.rev)) : revIs(job.rev);
  const set = Object.fromEntries(given) as Row;
  return { writes: [{ op: 'update', table, key, set, remove: [...gone, 'booked'], add: { rev: 1 }, condition }] };
}

/** The job as it is after an edit. */
export function edited<Kind extends Job>(job: Kind, edit: JobEdit): Kind {
  const { booked: _booked, ...rest } = { ...job, ...edit };
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)) as unknown as Kind;
}

/** Whether it is a dead letter of a row that could not be read: nothing of it is a job that could be changed. */
export const isQuarantined = ({ state, job }: Located): boolean => state === 'dead' && job.reason === 'unreadable';

/** Gives a job that does not run another payload. With a `rev` only the row that has it, else `changed`. */
export function planPayload(
  found: Located,
  edit: Required<Pick<JobEdit, 'payload'>> & Pick<JobEdit, 'schemaVersion'> & { readonly rev?: number },
  terms: ResumeTerms,
): PlannedChange<{ readonly outcome: PayloadEdited; readonly job?: LeasedJob }> {
  if (found.state === 'running' || found.state === 'finished') return { writes: [], answer: { outcome: found.state } };
  if (isQuarantined(found)) return { writes: [], answer: { outcome: 'unreadable' } };
  const { rev, ...fields } = edit;
  if (rev !== undefined && rev !== found.job.rev) return { writes: [], answer: { outcome: 'changed' } };
  const { writes, job } = editWrites(found, fields, terms);
  return { writes, answer: { outcome: 'edited', ...defined({ job }) } };
}
