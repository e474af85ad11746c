import { type ChildProcess, spawn } from 'node:child_process';

/**
 * A shell that waits on a pipe from this process: when this process ends, however it ends, the pipe closes and the shell kills
 * the process group of `pid`, stopped processes too. Kill the shell once the group has ended. Absent on Windows.
 */
export function endWithThisProcess(pid: number): ChildProcess | undefined {
  if (process.platform === 'win32') return undefined;
  const watchdog = spawn('/bin/sh', ['-c', 'read -r _; kill -s KILL -- "-$0" 2>/dev/null', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  watchdog.unref();
  (watchdog.stdin as unknown as { unref?: () => void } | null)?.unref?.();
  return watchdog;
}
