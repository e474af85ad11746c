import type { CommandIo } from './command-io.ts';
import type { Verb } from './verb.ts';

/** One command of the CLI: a file of its own in `commands/`, listed in `commands.ts`. */
export interface Command {
  readonly name: string;
  /** One line of `nightcrew --help`. */
  readonly summary: string;
  readonly usage: string;
  /** Its verbs, for help and the CLI page; absent for a command that parses its own arguments. */
  readonly verbs?: readonly Verb[];
  /** The usage that fits the arguments; default `usage`. */
  usageOf?(args: readonly string[]): string;
  /** Runs it; gives an exit code of `EXIT`. Throws UsageError for arguments that cannot be followed. */
  run(args: readonly string[], io: CommandIo): Promise<number>;
}
