import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { boundFork } from '../../support/bound-fork.ts';

/** Processes that run jobs outside Lambda; one that ends is replaced. */
export interface Machines {
  readonly pids: readonly number[];
  /** Sends a signal to the process; one that has ended is left alone. */
  signal(pid: number, name: NodeJS.Signals): void;
  /** Kills them all, frozen ones too. */
  stop(): void;
}

const COUNT = 2;

/** Starts machines; `environment` is that of their worker. */
export function startMachines({
  environment,
  log,
}: {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: (line: string) => void;
}): Machines {
  const children = new Map<number, ChildProcess>();
  let stopped = false;
  const start = (): void => {
    const env = { ...process.env, ...environment };
    const child = boundFork(join(import.meta.dirname, 'outside-worker.ts'), [], { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    const { pid } = child;
    if (pid === undefined) throw new Error('A machine did not start.');
    children.set(pid, child);
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (text: Buffer) => log(`machine ${pid}: ${text.toString().trim()}`));
    child.once('exit', (code, signal) => {
      log(`machine ${pid} ended: ${signal ?? code}`);
      children.delete(pid);
      if (!stopped) start();
    });
  };
  for (let index = 0; index < COUNT; index++) start();
  return {
    get pids() {
      return [...children.keys()];
    },
    signal: (pid, name) => void children.get(pid)?.kill(name),
    stop() {
      stopped = true;
      for (const child of children.values()) child.kill('SIGKILL');
    },
  };
}
