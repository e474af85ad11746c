import { shown } from './errors.ts';
import type { JobError } from './job.ts';
import type { JobId } from './job-id.ts';
import { cutToBytes, utf8Bytes } from './size-limits.ts';

/**
 * The effect of one attempt on its job. `unrecorded`: the outcome could not be written, so the job runs again. An attempt whose
 * process died leaves no record: its number is missing between the others.
 */
export type AttemptOutcome =
  | 'completed'
  | 'retried'
  | 'snoozed'
  | 'continued'
  | 'given-back'
  | 'dead-lettered'
  | 'cancelled'
  | 'lost-lease'
  | 'unrecorded';

/** How an attempt ended. `error`: what it failed with; `reason`: why its job is a dead letter. */
export interface AttemptEnd {
  readonly outcome: AttemptOutcome;
  readonly error?: JobError;
  readonly reason?: string;
}

/** One run of a handler, as History keeps it. Instants are epoch milliseconds. */
export interface AttemptRecord {
  readonly jobId: JobId;
  /** Revision of the job's row when it was claimed: grows from run to run, and starts anew with neither a redrive nor a continuation. */
  readonly run: number;
  readonly type: string;
  readonly worker: string;
  readonly tenant?: string;
  /** The number that the handler saw. */
  readonly attempt: number;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly outcome: AttemptOutcome;
  /** Why the job is a dead letter. */
  readonly reason?: string;
  readonly error?: JobError;
  readonly requestId: string;
  /** Version of the function that ran it. */
  readonly version?: string;
  /** JSON text of what the handler logged, at level `full`. */
  readonly log?: string;
}

/** One line that a handler logged. */
export interface LoggedLine {
  readonly at: number;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** The most that one attempt may store of its log in History: with an error an item has little more room. */
export const LOG_BYTES = 32 * 1024;
const MESSAGE_BYTES = 2 * 1024;

/** The lines as JSON text of at most LOG_BYTES: the first ones, a note of how many are missing, and of fields only what JSON can hold. */
export function logText(lines: readonly LoggedLine[], dropped = 0): string {
  const kept: string[] = [];
  let bytes = 100;
  for (const line of lines) {
    const text = lineText(line);
    bytes += utf8Bytes(text) + 1;
    if (bytes > LOG_BYTES) break;
    kept.push(text);
  }
  const missing = lines.length - kept.length + dropped;
  return `[${[...kept, ...(missing === 0 ? [] : [JSON.stringify({ missing })])].join(',')}]`;
}

function lineText({ at, level, message, fields }: LoggedLine): string {
  // A handler in JavaScript may log anything.
  const said: unknown = message;
  const line = { at: new Date(at).toISOString(), level, message: cutToBytes(typeof said === 'string' ? said : shown(said), MESSAGE_BYTES) };
  try {
    const text = JSON.stringify({ ...line, fields });
    if (utf8Bytes(text) <= 2 * MESSAGE_BYTES) return text;
  } catch {
    // Circular, or with a BigInt: the message is the important part anyway.
  }
  return JSON.stringify(line);
}
