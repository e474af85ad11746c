import { type ChildProcess, spawn } from 'node:child_process';
import { endWithThisProcess } from '../end-with-this-process.ts';
import { freePort } from '../free-port.ts';

/** A DynamoDB to talk to. `pid` is absent when it was not started here. */
export interface RunningDynamo {
  readonly endpoint: string;
  readonly pid?: number;
  stop(): Promise<void>;
}

/** How an emulator is started. It prints `listening on` when it is ready, and exits if its port is taken. */
export interface EmulatorProgram {
  readonly name: string;
  readonly command: string;
  readonly args: (port: number) => readonly string[];
  readonly timeoutMs: number;
}

const START_TRIES = 5;

const endWithProcess = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of endWithProcess) child.kill('SIGKILL');
});

/** Starts an emulator on a free loopback port. It ends with this process, however that ends. */
export async function startEmulator(program: EmulatorProgram): Promise<RunningDynamo> {
  let said = '';
  for (let tries = 0; tries < START_TRIES; tries += 1) {
    const port = await freePort();
    const started = await launch(program, port);
    if ('child' in started) return running(started.child, port);
    said = started.said;
  }
  throw new Error(`${program.name} did not start on ${START_TRIES} ports: ${said}`);
}

/** Starts the program and waits until it listens. If it exits instead, as it does if the port is taken, returns its output. */
function launch(program: EmulatorProgram, port: number): Promise<{ readonly child: ChildProcess } | { readonly said: string }> {
  // A process group of its own: Ctrl-C in a terminal must not end the store before the region has stopped.
  const child = spawn(program.command, program.args(port), { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  return new Promise((resolve) => {
    let said = '';
    const end = (result: { readonly child: ChildProcess } | { readonly said: string }): void => {
      clearTimeout(timer);
      child.removeAllListeners();
      for (const pipe of [child.stdout, child.stderr]) pipe?.removeAllListeners('data');
      resolve(result);
    };
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      end({ said: `${said} (not ready after ${program.timeoutMs} ms)` });
    }, program.timeoutMs);
    const listen = (chunk: Buffer): void => {
      said += chunk.toString();
      if (said.includes('listening on')) end({ child });
    };
    child.stdout?.on('data', listen);
    child.stderr?.on('data', listen);
    child.once('error', (error) => end({ said: error.message }));
    child.once('exit', (code) => end({ said: `exit ${code}: ${said.trim()}` }));
  });
}

function running(child: ChildProcess, port: number): RunningDynamo {
  const pid = child.pid as number;
  // The child is unref'd, so that a forgotten stop() does not keep this process alive. Its pipes stay open and are drained:
  // an emulator prints more after it listens, and Dynoxide dies if its output is not read.
  for (const pipe of [child.stdout, child.stderr]) {
    pipe?.resume();
    (pipe as unknown as { unref?: () => void } | null)?.unref?.();
  }
  child.unref();
  const watchdog = endWithThisProcess(pid);
  endWithProcess.add(child);
  const stop = async (): Promise<void> => {
    endWithProcess.delete(child);
    watchdog?.kill('SIGKILL');
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.ref();
    child.kill('SIGKILL');
    await ended;
  };
  return { endpoint: `http://127.0.0.1:${port}`, pid, stop };
}
