import type { Activation, ActivationTargets } from '../shared/admin/activation.ts';
import type { Admin } from '../shared/admin/admin.ts';
import type { External } from '../functions/worker/external/external.ts';
import type { DoctorLooks } from './doctor/check.ts';
import type { Verb } from './verb.ts';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What a person sits at, if anybody does. */
export interface TerminalView {
  /** Whether results go to a terminal: only then lines are cut to its width and coloured. */
  readonly out: boolean;
  /** Whether messages go to one: only then progress is shown. */
  readonly err: boolean;
  readonly columns: number;
}

/** What the console's server is started with. */
export interface ConsoleStart {
  readonly environment: Environment;
  readonly write: boolean;
  readonly port: number;
  readonly zone: string;
  readonly actor: string;
  readonly place: { readonly name: string; readonly production: boolean; readonly words: readonly string[] };
  readonly redact: readonly string[];
  /** Told of failures that nobody expected: the browser gets none of it. */
  readonly onProblem: (what: string, error: unknown) => void;
}

/** A console that runs: its address with a token that works once. */
export interface StartedConsole {
  readonly url: string;
  close(): Promise<void>;
}

/** What a command reads and writes; handed in, so that a test can look on. */
export interface CommandIo {
  /** Results, for people or with `--json` for programs. */
  readonly out: (text: string) => void;
  /** What went wrong, and usage. */
  readonly err: (text: string) => void;
  readonly environment: Environment;
  /** Opens a session of an external worker. */
  readonly openExternal: (worker: string) => External;
  /** The operator's verbs of the deployment that the environment names. Throws MissingEnvironmentError or InvalidConfigurationError. */
  readonly openAdmin: (environment: Environment, actor: string) => Admin;
  readonly openActivation: (targets: ActivationTargets, environment: Environment) => Promise<Activation>;
  readonly openDoctor: (environment: Environment) => DoctorLooks;
  readonly startConsole: (options: ConsoleStart) => Promise<StartedConsole>;
  /** Outputs of a CloudFormation stack by name. */
  readonly stackOutputs: (stack: string, environment: Environment) => Promise<ReadonlyMap<string, string>>;
  /** The text of a file; `-` is the standard input. */
  readonly readText: (path: string) => Promise<string>;
  readonly now: () => number;
  /** IANA name of the machine's time zone. */
  readonly zone: string;
  /** Name of the user who is logged in: who acts, for the audit, unless `--actor` says so. */
  readonly user: string;
  readonly terminal: TerminalView;
  /** Asks the person at the terminal; undefined when nobody sits there. */
  readonly ask: (question: string) => Promise<string | undefined>;
  /** Aborted by Ctrl-C: work in pages stops after the one it is at. */
  readonly signal: AbortSignal;
}

/** One command of the CLI: a file of its own in `commands/`, listed in `commands.ts`. */
export interface Command {
  readonly name: string;
  /** One line of `nightcrew --help`. */
  readonly summary: string;
  readonly usage: string;
  /** What it can do, for help, completion and the page about the CLI; absent for a command that reads its arguments by itself. */
  readonly verbs?: readonly Verb[];
  /** The usage that fits the arguments; default `usage`. */
  usageOf?(args: readonly string[]): string;
  /** Runs it; gives an exit code of `EXIT`. Throws UsageError for arguments that cannot be followed. */
  run(args: readonly string[], io: CommandIo): Promise<number>;
}

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
