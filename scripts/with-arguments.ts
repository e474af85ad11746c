const EXIT_USAGE = 2;

/** Runs a script that takes the arguments that are named, none of which is an option. `--help` prints its usage instead; another command line is refused with it. */
export async function withArguments(
  usage: string,
  names: readonly string[],
  run: (...args: readonly string[]) => void | Promise<void>,
): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    process.stdout.write(usage);
    return;
  }
  const [stray] = [...args.filter((arg) => arg.startsWith('-')), ...args.slice(names.length)];
  if (stray === undefined && args.length === names.length) return run(...args);
  const takes = names.length === 0 ? 'it takes no arguments.' : `give ${names.join(' and ')}.`;
  process.stderr.write(`${stray === undefined ? 'An argument is missing' : `${JSON.stringify(stray)} is not valid`}: ${takes}\n\n${usage}`);
  process.exitCode = EXIT_USAGE;
}

/** Runs a script that takes no arguments. */
export const withoutArguments = async (usage: string, run: () => void | Promise<void>): Promise<void> => withArguments(usage, [], run);
