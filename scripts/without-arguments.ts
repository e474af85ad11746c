const EXIT_USAGE = 2;

/** Runs a script that takes no arguments. `--help` prints its usage instead; any other argument is refused with it. */
export async function withoutArguments(usage: string, run: () => void | Promise<void>): Promise<void> {
  const [first] = process.argv.slice(2);
  if (first === undefined) return run();
  if (process.argv.includes('--help')) {
    process.stdout.write(usage);
    return;
  }
  process.stderr.write(`${JSON.stringify(first)} is not valid: it takes no arguments.\n\n${usage}`);
  process.exitCode = EXIT_USAGE;
}
