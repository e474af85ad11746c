import { boundFork } from './bound-fork.ts';

/** Runs a script that sends its findings as messages; rejects if its exit code is not 0. `nodeOptions` are added to its own. */
export function runShare(
  script: string,
  args: readonly string[],
  onFound: (found: unknown) => void,
  nodeOptions: readonly string[] = [],
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = boundFork(script, args, { execArgv: [...process.execArgv, ...nodeOptions] });
    child.on('message', (message) => onFound(message));
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${script} ended with ${code}.`))));
  });
}
