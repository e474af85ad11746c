import type { External } from '../shared/worker/external/external.ts';

/** What a command reads and writes; handed in, so that a test can look on. */
export interface CommandIo {
  /** Results, for people or with `--json` for programs. */
  readonly out: (text: string) => void;
  /** What went wrong, and usage. */
  readonly err: (text: string) => void;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Opens a session of an external worker. */
  readonly openExternal: (worker: string) => External;
}

/** One command of the CLI: a file of its own in `commands/`, listed in `commands.ts`. */
export interface Command {
  readonly name: string;
  /** One line of `nightcrew --help`. */
  readonly summary: string;
  readonly usage: string;
  /** Runs it; gives an exit code of `EXIT`. Throws UsageError for arguments that cannot be followed. */
  run(args: readonly string[], io: CommandIo): Promise<number>;
}

/** Exit codes, the same for every command. */
export const EXIT = {
  done: 0,
  /** The store did not answer, or refused. */
  failed: 1,
  /** Arguments or environment are wrong: nothing was written. */
  usage: 2,
  /** Somebody else decides about the job by now: nothing was written. */
  lost: 3,
  /** Somebody asked for the job to be cancelled. */
  cancelled: 4,
} as const;

/** The arguments cannot be followed; the message says which, and the usage is shown with it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
