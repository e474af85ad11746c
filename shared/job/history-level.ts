/**
 * What is kept of jobs that ended.
 * - `off`: nothing
 * - `outcome`: how each finished job ended, written in batches after completion; losing one is allowed
 * - `attempts`: also every attempt of every job, written in the same batches
 * - `full`: also the payload of finished jobs and the log lines of their handlers
 * - `durable`: as `attempts`, the end of a job and its last attempt in the very transaction that ends it
 */
export const HISTORY_LEVELS = ['off', 'outcome', 'attempts', 'full', 'durable'] as const;

/** One of the levels. */
export type HistoryLevel = (typeof HISTORY_LEVELS)[number];

/** Whether attempts are kept, and not only how jobs ended. */
export function keepsAttempts(level: HistoryLevel): boolean {
  return level === 'attempts' || level === 'full' || level === 'durable';
}
