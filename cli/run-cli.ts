import {
  causeChain,
  InvalidConfigurationError,
  InvalidInputError,
  MissingEnvironmentError,
  NightcrewError,
  shown,
} from '../shared/core/errors.ts';
import { type Command, type CommandIo, EXIT, UsageError } from './command.ts';
import { COMMANDS } from './commands.ts';
import { plain, plainLines } from './text/plain.ts';

const HELP = ['--help', '-h', 'help'];

/** Runs the command that the arguments name and gives its exit code; never throws. */
export async function runCli(args: readonly string[], io: CommandIo): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || HELP.includes(name)) {
    const asked = COMMANDS.find((one) => one.name === rest[0]);
    const text = name === 'help' && asked !== undefined ? usageOf(asked, rest.slice(1)) : overview();
    if (name === undefined) io.err(text);
    else io.out(text);
    return name === undefined ? EXIT.usage : EXIT.done;
  }
  const command = COMMANDS.find((one) => one.name === name);
  if (command === undefined) {
    io.err(`nightcrew: ${shown(name)} is not a command.\n\n${overview()}`);
    return EXIT.usage;
  }
  if (rest.some((arg) => arg === '--help' || arg === '-h')) {
    io.out(usageOf(command, rest));
    return EXIT.done;
  }
  try {
    return await command.run(rest, io);
  } catch (error) {
    return failed(command, error, io);
  }
}

function failed({ name, usage }: Command, error: unknown, io: CommandIo): number {
  const message = plainLines(error instanceof Error ? error.message : String(error));
  if (error instanceof UsageError) {
    const own = 'usage' in error ? String(error.usage) : usage;
    io.err(`nightcrew ${name}: ${message}\n\n${own}`);
    return EXIT.usage;
  }
  io.err(`nightcrew ${name}: ${message}${error instanceof NightcrewError ? causeText(error) : ''}\n`);
  const mine = [InvalidInputError, InvalidConfigurationError, MissingEnvironmentError].some((kind) => error instanceof kind);
  return mine ? EXIT.usage : EXIT.failed;
}

/** What lies at the bottom, such as credentials that ran out: whoever operates can mend that, if it is said. */
function causeText(error: NightcrewError): string {
  const root = causeChain(error)
    .slice(1)
    .findLast((link) => link instanceof Error);
  if (root === undefined) return '';
  const said = [root.message, 'code' in root ? String(root.code) : ''].find((text) => text !== '') ?? 'no more is known';
  return ` (${plain(`${root.name}: ${said}`)})`;
}

function usageOf(command: Command, args: readonly string[]): string {
  return command.usageOf?.(args) ?? command.usage;
}

function overview(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length)) + 2;
  const lines = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`);
  return `Usage: nightcrew <command> [options]\n\n${lines.join('\n')}\n\nnightcrew <command> --help says more.\n`;
}
