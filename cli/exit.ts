/** Exit codes, the same for every command. */
export const EXIT = {
  done: 0,
  /** The store did not answer, or refused; or a check failed. */
  failed: 1,
  /** Arguments or environment are wrong: nothing was written. */
  usage: 2,
  /** The job is not in a state for it, or somebody else decides about it by now: it was left alone. */
  lost: 3,
  /** Somebody asked for the job to be cancelled. */
  cancelled: 4,
  /** Ctrl-C: stopped after a page; what resumes it was printed. */
  stopped: 130,
} as const;

/** The arguments cannot be followed; the message says which, and the usage is shown with it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
