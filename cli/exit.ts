/** Exit codes, the same for every command. */
export const EXIT = {
  done: 0,
  /** The store did not answer, or refused; or a check failed. */
  failed: 1,
  /** Arguments or environment are wrong: nothing was written. */
  usage: 2,
  /** What was named does not exist, is not in a suitable state, or another process holds it by now: it was left alone. */
  lost: 3,
  /** A cancel of the job was requested. */
  cancelled: 4,
  /** Ctrl-C: stopped after a page; the command that resumes it was printed. */
  stopped: 130,
} as const;

/** What was named does not exist. */
export class AbsentError extends Error {
  override readonly name = 'AbsentError';
}

/** Invalid arguments; the message names them and shows the usage. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
