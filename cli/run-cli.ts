import { InvalidConfigurationError, InvalidInputError, MissingEnvironmentError, shown } from '../shared/core/errors.ts';
import { type CommandIo, EXIT, UsageError } from './command.ts';
import { COMMANDS } from './commands.ts';

const HELP = ['--help', '-h', 'help'];

/** Runs the command that the arguments name and gives its exit code; never throws. */
export async function runCli(args: readonly string[], io: CommandIo): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || HELP.includes(name)) {
    const text = overview();
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
    io.out(command.usage);
    return EXIT.done;
  }
  try {
    return await command.run(rest, io);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof UsageError) {
      io.err(`nightcrew ${name}: ${message}\n\n${command.usage}`);
      return EXIT.usage;
    }
    io.err(`nightcrew ${name}: ${message}\n`);
    const mine = [InvalidInputError, InvalidConfigurationError, MissingEnvironmentError].some((kind) => error instanceof kind);
    return mine ? EXIT.usage : EXIT.failed;
  }
}

function overview(): string {
  const lines = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(12)}${summary}`);
  return `Usage: nightcrew <command> [options]\n\n${lines.join('\n')}\n\nnightcrew <command> --help says more.\n`;
}
