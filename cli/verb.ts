import type { Call } from './call.ts';

/** An option of a verb, as commander writes them: `--type <type>`, `--yes`, `--no-tenant`. */
export interface Flag {
  readonly flags: string;
  readonly doc: string;
  /** May be given several times. */
  readonly many?: true;
  readonly choices?: readonly string[];
}

/** What help and the page about the command line say of an option: its doc, and the values that it takes. */
export function flagDoc({ doc, choices }: Flag): string {
  return choices === undefined ? doc : `${doc} (${choices.join(', ')})`;
}

/** One thing that a command can do. */
export interface Verb {
  /** Absent for the only verb of a command. */
  readonly name?: string;
  /** Done when the command is given no verb. */
  readonly byDefault?: true;
  readonly summary: string;
  /** The positional argument: `<id>`, `[ids...]`. */
  readonly argument?: { readonly text: string; readonly doc: string };
  readonly flags?: readonly Flag[];
  /** Options that it used to have, or that similar verbs have, each with the text that refuses it and names the replacement. */
  readonly refused?: Readonly<Record<string, string>>;
  /** It changes something: it takes `--actor`, and exactly one deployment. */
  readonly changes?: true;
  /** Not about a deployment: it takes no `--stack` and no `--env-file`. */
  readonly apart?: true;
  /** More text for its help. */
  readonly more?: string;
  /** Runs it; gives an exit code of `EXIT`. */
  run(call: Call): Promise<number>;
}
