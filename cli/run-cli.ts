import { PACKAGE_VERSION } from '../shared/config/package-version.ts';
import { closestName } from '../shared/job/closest-name.ts';
import {
  BatchUnknownError,
  InvalidConfigurationError,
  InvalidInputError,
  MissingEnvironmentError,
  MissingPackageError,
  shown,
} from '../shared/job/errors.ts';
import type { Command } from './command.ts';
import { AbsentError, EXIT, UsageError } from './exit.ts';
import type { CommandIo } from './command-io.ts';
import { COMMANDS } from './commands.ts';
import { errorMessage } from './text/error-message.ts';

const HELP = ['--help', '-h', 'help'];
const VERSION = ['--version', '-v', 'version'];

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
  if (VERSION.includes(name)) {
    io.out(`nightcrew ${PACKAGE_VERSION}\n`);
    return EXIT.done;
  }
  const command = COMMANDS.find((one) => one.name === name);
  if (command === undefined) {
    const near = closestName(
      name,
      COMMANDS.map((one) => one.name),
    );
    io.err(
      `nightcrew: ${shown(name)} is not a command.${near === undefined ? '' : ` Did you mean ${near}?`} nightcrew --help lists them.\n`,
    );
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
  const message = errorMessage(error);
  if (error instanceof UsageError) {
    const own = 'usage' in error ? String(error.usage) : usage;
    io.err(`nightcrew ${name}: ${message}\n\n${own}`);
    return EXIT.usage;
  }
  io.err(`nightcrew ${name}: ${message}\n`);
  if (error instanceof AbsentError || error instanceof BatchUnknownError) return EXIT.lost;
  const mine = [InvalidInputError, InvalidConfigurationError, MissingEnvironmentError, MissingPackageError].some(
    (kind) => error instanceof kind,
  );
  return mine ? EXIT.usage : EXIT.failed;
}

function usageOf(command: Command, args: readonly string[]): string {
  return command.usageOf?.(args) ?? command.usage;
}

function overview(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length)) + 2;
  const lines = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`);
  return `Usage: nightcrew <command> [options]\n\n${lines.join('\n')}\n\nnightcrew <command> --help says more; nightcrew --version gives the version.\n`;
}
