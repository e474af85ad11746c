import { type ChildProcess, fork, type ForkOptions } from 'node:child_process';
import { endWithThisProcess } from '../../local/end-with-this-process.ts';

/** Forks a script that ends with this process, however that ends: a simulated world that spins would never notice by itself. */
export function boundFork(script: string, args: readonly string[], options: ForkOptions = {}): ChildProcess {
  // A process group of its own, because the watchdog kills the group.
  const child = fork(script, args, { ...options, detached: true });
  const watchdog = child.pid === undefined ? undefined : endWithThisProcess(child.pid);
  child.once('exit', () => watchdog?.kill('SIGKILL'));
  return child;
}
