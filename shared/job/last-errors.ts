import { iso, storedInstant } from './instant.ts';
import type { Job, JobError } from './job.ts';
import { cutToBytes } from './size-limits.ts';

/** One of the last errors of a job. */
export interface PastError {
  readonly at: Date;
  /** The attempt that ended with it; absent if no attempt of this release did: the job expired, an operator buried it, or an earlier release recorded the error. */
  readonly attempt?: number;
  /** Name and message on one line, cut to 80 bytes. */
  readonly text: string;
}

const MOST = 5;
const TEXT_BYTES = 80;
const LINE = /^(\S+) (\d{1,15}) (.+)$/;

/** What decides about the last errors of a job. */
type Failed = Pick<Job, 'lastErrors' | 'error' | 'starts'>;

/**
 * The last errors of a job that has just failed, as its row keeps them: a line for each, the newest last, with time, attempt and text. The newest has no
 * text, because the row has that error as a whole. At most 500 bytes: a row that fails once grows by about 40. `attempt` 0: none ended with it.
 */
export function withError(job: Failed, error: JobError, attempt: number = job.starts): string {
  return [...wholeLines(job), `${iso(error.at)} ${attempt}`].slice(-MOST).join('\n');
}

/** The last errors of a job, the newest first. Lines that cannot be read, and those without a text, are left out. */
export function lastErrors(job: Pick<Job, 'lastErrors' | 'error'>): readonly PastError[] {
  return wholeLines(job).flatMap(pastError).toReversed();
}

/** Each line with its text. One has none left if an executor of an earlier release recorded the error after it, and kept only that. */
function wholeLines(job: Pick<Job, 'lastErrors' | 'error'>): readonly string[] {
  const lines = linesOf(job).map((line, index, { length }) => (index === length - 1 ? withText(line, job.error) : line));
  return lines.filter((line) => LINE.test(line));
}

/** A job that failed under an earlier release has its last error alone. */
function linesOf({ lastErrors: kept, error }: Pick<Job, 'lastErrors' | 'error'>): readonly string[] {
  const lines = kept === undefined || kept === '' ? [] : kept.split('\n');
  const isKept = error === undefined || lines.at(-1)?.startsWith(iso(error.at)) === true;
  return isKept ? lines : [...lines, `${iso(error.at)} 0`];
}

/** The line of an error that the row has as a whole. */
function withText(line: string, error: JobError | undefined): string {
  if (error === undefined || !line.startsWith(iso(error.at))) return line;
  const [at, attempt] = line.split(' ');
  return `${at} ${attempt} ${cutToBytes(`${error.name}: ${error.message}`.replaceAll(/\s+/g, ' '), TEXT_BYTES)}`;
}

function pastError(line: string): readonly PastError[] {
  const [, time, count, text = ''] = LINE.exec(line) ?? [];
  const at = storedInstant(time);
  if (at === undefined) return [];
  const attempt = Number(count);
  return [{ at: new Date(at), ...(attempt > 0 ? { attempt } : {}), text }];
}
