import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

/** An invalid command line. Its message names the option and the valid values. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const EXIT_USAGE = 2;

/** The options with a value and the flags for `readArguments`. */
export const TEXT = { type: 'string' } as const;
export const FLAG = { type: 'boolean' } as const;

/** Reads the options of a command. Throws UsageError for any other. */
export function readArguments<Options extends ParseArgsOptionsConfig>(args: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** A number from `min` to `max`. Throws UsageError. */
export function wholeNumber(option: string, text: string, [min, max] = [1, Number.MAX_SAFE_INTEGER]): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new UsageError(`--${option}: ${JSON.stringify(text)} is not valid. Use a whole number from ${min} to ${max}.`);
}

/** One of `names`. Throws UsageError. */
export function oneOf<Name extends string>(option: string, text: string, names: readonly Name[]): Name {
  const name = names.find((one) => one === text);
  if (name === undefined) throw new UsageError(`--${option}: ${JSON.stringify(text)} is not one of ${names.join(', ')}.`);
  return name;
}

/** Runs a command to its exit code. `--help` prints the usage instead; a command line that cannot be followed ends with code 2. */
export async function runCommand(usage: string, run: (args: readonly string[]) => number | Promise<number>): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    process.stdout.write(usage);
    return;
  }
  try {
    process.exitCode = await run(args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n\n${usage}`);
    process.exitCode = EXIT_USAGE;
  }
}
