import type { Activation, ActivationTargets } from '../operate/activation.ts';
import type { Admin } from '../operate/admin.ts';
import type { External } from '../functions/worker/external/external.ts';
import type { DoctorLooks } from './doctor/check.ts';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The terminal, if there is one. */
export interface TerminalView {
  /** Whether results go to a terminal: only then lines are cut to its width and coloured. */
  readonly out: boolean;
  /** Whether messages go to one: only then progress is shown. */
  readonly err: boolean;
  readonly columns: number;
}

/** Options of the console's server. */
export interface ConsoleStart {
  readonly environment: Environment;
  readonly write: boolean;
  readonly port: number;
  readonly zone: string;
  readonly actor: string;
  readonly place: { readonly name: string; readonly production: boolean; readonly words: readonly string[] };
  readonly redact: readonly string[];
  /** Receives unexpected failures, which the browser does not show. */
  readonly onProblem: (what: string, error: unknown) => void;
}

/** A console that runs: its address with a token that works once. */
export interface StartedConsole {
  readonly url: string;
  close(): Promise<void>;
}

/** A command's input and output; passed in, so that tests can observe them. */
export interface CommandIo {
  /** Results, for people or with `--json` for programs. */
  readonly out: (text: string) => void;
  /** Errors and usage. */
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
  /** Name of the logged-in user: the actor in the audit unless `--actor` is given. */
  readonly user: string;
  readonly terminal: TerminalView;
  /** Asks the user at the terminal, and prints nothing without one: undefined. The question is the last line of the text. */
  readonly ask: (question: string) => Promise<string | undefined>;
  /** Aborted by Ctrl-C: work in pages stops after the one it is at. */
  readonly signal: AbortSignal;
}
