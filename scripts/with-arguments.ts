import { runCommand, UsageError } from './command-line.ts';

/** Runs a script to its exit code, with the arguments that are named, none of which is an option. `--help` prints its usage instead; another command line is refused with it. */
export async function withArguments(
  usage: string,
  names: readonly string[],
  run: (...args: readonly string[]) => number | Promise<number>,
): Promise<void> {
  await runCommand(usage, async (args) => {
    const takes = names.length === 0 ? 'it takes no arguments.' : `give ${names.join(' and ')}.`;
    const [stray] = [...args.filter((arg) => arg.startsWith('-')), ...args.slice(names.length)];
    if (stray !== undefined) throw new UsageError(`${JSON.stringify(stray)} is not valid: ${takes}`);
    if (args.length < names.length) throw new UsageError(`An argument is missing: ${takes}`);
    return run(...args);
  });
}

/** Runs a script that takes no arguments. */
export const withoutArguments = async (usage: string, run: () => number | Promise<number>): Promise<void> => withArguments(usage, [], run);
