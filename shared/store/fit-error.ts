import type { JobError, LeasedJob } from '../job/job.ts';
import { cutToBytes, utf8Bytes } from '../job/size-limits.ts';
import { rowBytes } from './row-bytes.ts';
import { jobRow } from './rows.ts';

const WRITE_UNIT_BYTES = 1024;
/** A shorter stack is useless. */
const MIN_STACK_BYTES = 80;

/**
 * The error of a job that will be tried again: as much of its stack as fits into the write unit that the row fills anyway,
 * because a row that grows past it costs more at every later write. The dead letter keeps the whole stack of the last error.
 */
export function fitError(job: LeasedJob, error: JobError): JobError {
  const { stack, ...short } = error;
  if (stack === undefined) return error;
  const bytes = rowBytes(jobRow({ ...job, error: short }));
  const room = Math.ceil(bytes / WRITE_UNIT_BYTES) * WRITE_UNIT_BYTES - bytes - utf8Bytes('errorStack');
  return room < MIN_STACK_BYTES ? short : { ...short, stack: cutToBytes(stack, room) };
}
