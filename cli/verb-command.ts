import { Command as Parser, CommanderError, Option } from 'commander';
import { openCall } from './open-call.ts';
import type { Command } from './command.ts';
import { UsageError } from './exit.ts';
import { COMMON_FLAGS, PLACE_FLAGS, WRITE_FLAGS } from './common-flags.ts';
import { plain } from './text/plain.ts';
import { type Flag, flagDoc, type Verb } from './verb.ts';

/** Invalid arguments of a verb; names the help page. */
class VerbUsageError extends UsageError {
  readonly usage: string;
  constructor(message: string, path: string) {
    super(message);
    this.usage = `nightcrew ${path} --help says more.\n`;
  }
}

/** A command made of verbs; commander parses their arguments. */
export function verbCommand(name: string, summary: string, verbs: readonly Verb[]): Command {
  const usage = commandUsage(name, summary, verbs);
  return {
    name,
    summary,
    usage,
    verbs,
    usageOf(args) {
      const chosen = chosenVerb(verbs, args);
      return chosen !== undefined && (args[0] === chosen.verb.name || verbs.length === 1) ? verbUsage(name, chosen.verb) : usage;
    },
    async run(args, io) {
      const chosen = chosenVerb(verbs, args);
      if (chosen === undefined) throw new UsageError(`use one of ${verbs.map((verb) => verb.name).join(', ')}.`);
      const { verb, rest } = chosen;
      const parser = parserOf(name, verb);
      const path = pathOf(name, verb);
      try {
        refuse(verb, rest);
        parser.parse([...rest], { from: 'user' });
        return await verb.run(openCall({ verb, path, args: parser.args, values: parser.opts() }, io));
      } catch (error) {
        if (error instanceof CommanderError)
          throw new VerbUsageError(plain(error.message.replace(/^error: /, '').replace('\n', ' ')), path);
        throw error instanceof UsageError ? new VerbUsageError(error.message, path) : error;
      }
    },
  };
}

/** An option that means something else elsewhere must not be taken for that. */
function refuse({ refused = {} }: Verb, args: readonly string[]): void {
  for (const [flag, instead] of Object.entries(refused)) {
    if (args.some((arg) => arg === flag || arg.startsWith(`${flag}=`))) throw new UsageError(`${flag} ${instead}`);
  }
}

/** The full name of a verb: `jobs list`. */
export function pathOf(command: string, verb: Verb): string {
  return verb.name === undefined ? command : `${command} ${verb.name}`;
}

/** Every option of a verb, those that all take last. */
export function flagsOf(verb: Verb): readonly Flag[] {
  return [
    ...(verb.flags ?? []),
    ...(verb.changes === true ? WRITE_FLAGS : []),
    ...(verb.apart === true ? [] : PLACE_FLAGS),
    ...COMMON_FLAGS,
  ];
}

/** The help of one verb. */
export function verbUsage(command: string, verb: Verb): string {
  const more = verb.more === undefined ? '' : `\n${verb.more}\n`;
  return `${parserOf(command, verb).helpInformation()}${more}`;
}

function chosenVerb(
  verbs: readonly Verb[],
  args: readonly string[],
): { readonly verb: Verb; readonly rest: readonly string[] } | undefined {
  const named = verbs.find((verb) => verb.name !== undefined && verb.name === args[0]);
  if (named !== undefined) return { verb: named, rest: args.slice(1) };
  const only = verbs.find((verb) => verb.name === undefined) ?? verbs.find((verb) => verb.byDefault === true);
  const bare = args[0] === undefined || args[0].startsWith('-');
  return only !== undefined && (only.name === undefined || bare) ? { verb: only, rest: args } : undefined;
}

function parserOf(command: string, verb: Verb): Parser {
  const parser = new Parser(`nightcrew ${pathOf(command, verb)}`)
    .description(verb.summary)
    .helpOption(false)
    .exitOverride()
    .allowExcessArguments(false)
    .configureOutput({ writeOut: () => {}, writeErr: () => {}, getOutHelpWidth: () => 140 });
  if (verb.argument !== undefined) parser.argument(verb.argument.text, verb.argument.doc);
  for (const flag of flagsOf(verb)) {
    const { flags, many, choices } = flag;
    const option = new Option(flags, flagDoc(flag));
    const checked = choices === undefined ? undefined : checkChoice(choices, flags);
    if (many === true)
      option.argParser((value: string, before: unknown) => [...(Array.isArray(before) ? before : []), checked?.(value) ?? value]);
    else if (checked !== undefined) option.argParser(checked);
    parser.addOption(option);
  }
  return parser;
}

function checkChoice(choices: readonly string[], flags: string): (value: string) => string {
  return (value) => {
    if (choices.includes(value)) return value;
    throw new UsageError(`${flags.split(' ')[0]} ${plain(JSON.stringify(value))}: use one of ${choices.join(', ')}.`);
  };
}

function commandUsage(name: string, summary: string, verbs: readonly Verb[]): string {
  const only = verbs[0];
  if (verbs.length === 1 && only?.name === undefined && only !== undefined) return verbUsage(name, only);
  const width = Math.max(...verbs.map((verb) => (verb.name ?? '').length)) + 2;
  const lines = verbs.map((verb) => `  ${(verb.name ?? '').padEnd(width)}${verb.summary}`);
  const by = verbs.find((verb) => verb.byDefault === true)?.name;
  const bare = by === undefined ? '' : `Without a verb: ${by}. `;
  return `Usage: nightcrew ${name} <verb> [options]\n\n${summary}\n\n${lines.join('\n')}\n\n${bare}nightcrew ${name} <verb> --help says more.\n`;
}
