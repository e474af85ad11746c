import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Clock } from '../shared/ports/clock.ts';
import { endWithThisProcess } from './end-with-this-process.ts';
import { FunctionError } from './function-runtime.ts';
import { type FunctionIdentity, functionArn, lambdaEnvironment } from './lambda-environment.ts';
import { type RuntimeApi, type RuntimeFailure, startRuntimeApi } from './runtime-api.ts';

/** Options of a sandbox. */
export interface SandboxSpec extends FunctionIdentity {
  /** Folder with the bundle: `index.mjs` exports `handler`. */
  readonly codeFolder: string;
  /** The function's own variables; Lambda's are added. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Receives each line that the sandbox prints. */
  readonly log: (line: string) => void;
}

/** A sandbox as an onlooker sees it. */
export interface SandboxView {
  readonly functionName: string;
  readonly pid: number;
  /** Whether an invocation is in it; otherwise it is frozen, starts or ends. */
  readonly busy: boolean;
  /** Puts off its kill until `at`, epoch milliseconds, past the deadline: as if Lambda broke its promise. */
  putOffKill(at: number): void;
  /** Stops, continues or kills it from outside, with its child processes; does nothing if it has ended. */
  signal(signal: SandboxSignal): void;
}

/** Signals to a sandbox from outside. */
export type SandboxSignal = 'SIGSTOP' | 'SIGCONT' | 'SIGKILL';

interface Invocation {
  readonly requestId: string;
  readonly settle: PromiseWithResolvers<unknown>;
}

/** Lambda gives the code this long to load. */
const INIT_TIMEOUT_MS = 10_000;
const BOOTSTRAP = join(import.meta.dirname, 'sandbox-bootstrap.ts');

/** One sandbox in a process of its own: stopped between invocations, killed at its deadline. */
export class SandboxProcess implements SandboxView {
  readonly functionName: string;
  readonly #spec: SandboxSpec;
  readonly #clock: Clock;
  readonly #ended = Promise.withResolvers<void>();
  readonly #initFrom: number;
  #api: RuntimeApi | undefined;
  #child: ChildProcess | undefined;
  #asked = Promise.withResolvers<void>();
  #invocation: Invocation | undefined;
  #initFailure: FunctionError | undefined;
  #killedFor: FunctionError | undefined;
  #killPutOffTo = 0;
  readonly #over = new AbortController();

  private constructor(spec: SandboxSpec, clock: Clock) {
    this.functionName = spec.name;
    this.#spec = spec;
    this.#clock = clock;
    this.#initFrom = clock.now();
  }

  /** Starts the process; its code loads while the first invocation waits. */
  static async start(spec: SandboxSpec, clock: Clock): Promise<SandboxProcess> {
    const sandbox = new SandboxProcess(spec, clock);
    sandbox.#api = await startRuntimeApi({
      asked: () => sandbox.#freeze(),
      responded: (requestId, body) => sandbox.#settle(requestId, (invocation) => invocation.settle.resolve(JSON.parse(body))),
      failed: (requestId, failure) =>
        sandbox.#settle(requestId, (invocation) => invocation.settle.reject(sandbox.#error('threw', told(failure)))),
      initFailed: (failure) => {
        sandbox.#initFailure = sandbox.#error('threw', told(failure));
      },
    });
    sandbox.#spawn(sandbox.#api.address);
    return sandbox;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get busy(): boolean {
    return this.#invocation !== undefined;
  }

  /** Resolves when the process is gone. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Resolves when it waits for its next event; never, when it ends instead. */
  get idle(): Promise<void> {
    return this.#asked.promise;
  }

  /** Runs one event. Rejects with FunctionError at its deadline, when the code throws, does not load, or ends the process. */
  async invoke(event: unknown, timeoutMs: number): Promise<unknown> {
    await this.#loaded();
    const over = new AbortController();
    const invocation: Invocation = { requestId: randomUUID(), settle: Promise.withResolvers() };
    this.#invocation = invocation;
    this.#asked = Promise.withResolvers();
    const deadlineAt = this.#clock.now() + timeoutMs;
    this.signal('SIGCONT');
    this.#api?.deliver({
      requestId: invocation.requestId,
      deadlineAt,
      functionArn: functionArn(this.functionName),
      body: JSON.stringify(event) ?? 'null',
    });
    void Promise.race([this.#asked.promise, this.#ended.promise]).then(() => over.abort());
    void this.#clock.wait(timeoutMs, over.signal).then(() => (over.signal.aborted ? undefined : this.#timeOut(timeoutMs)));
    return invocation.settle.promise;
  }

  putOffKill(at: number): void {
    this.#killPutOffTo = at;
  }

  signal(signal: SandboxSignal): void {
    if (this.pid === 0) return;
    try {
      process.kill(-this.pid, signal);
    } catch (error) {
      // macOS reports EPERM for a group whose processes have all ended.
      if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }

  /** Kills it and its child processes. */
  async end(): Promise<void> {
    this.signal('SIGKILL');
    await this.#ended.promise;
  }

  #spawn(address: string): void {
    const { codeFolder, environment, log } = this.#spec;
    const own = Object.entries({ ...environment, LAMBDA_TASK_ROOT: codeFolder, AWS_LAMBDA_RUNTIME_API: address });
    const child = spawn(process.execPath, [BOOTSTRAP], {
      cwd: codeFolder,
      // A process group of its own: a signal also reaches child processes of the code.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...lambdaEnvironment(this.#spec), ...Object.fromEntries(own.filter(([, value]) => value !== undefined)) },
    });
    this.#child = child;
    const watchdog = child.pid === undefined ? undefined : endWithThisProcess(child.pid);
    for (const stream of [child.stdout, child.stderr]) if (stream) createInterface({ input: stream }).on('line', log);
    child.once('error', (error) => this.#gone(`could not be started: ${error.message}`));
    // Its child processes die with it, as in a real sandbox; the last lines have been read when its streams close.
    child.once('exit', () => this.signal('SIGKILL'));
    child.once('close', (code, signal) => {
      watchdog?.kill('SIGKILL');
      this.#gone(exitText(code, signal));
    });
  }

  async #loaded(): Promise<void> {
    const over = new AbortController();
    const late = this.#clock.wait(this.#initFrom + INIT_TIMEOUT_MS - this.#clock.now(), over.signal).then(() => 'late');
    const first = await Promise.race([this.#asked.promise, this.#ended.promise, late]);
    over.abort();
    if (first === 'late') {
      this.#killedFor = this.#error('timed-out', `Init phase timed out after ${(INIT_TIMEOUT_MS / 1000).toFixed(2)} seconds`);
      await this.end();
    }
    if (this.#api === undefined) throw this.#initFailure ?? this.#killedFor ?? this.#error('sandbox-ended', 'ended while it loaded');
  }

  /** It asks for its next event, so its work is done: from here on it is frozen. */
  #freeze(): void {
    // Its invocation was given up, so it must not be used again.
    if (this.#killedFor) return this.signal('SIGKILL');
    this.signal('SIGSTOP');
    this.#invocation = undefined;
    this.#asked.resolve();
  }

  #settle(requestId: string, how: (invocation: Invocation) => void): boolean {
    if (this.#invocation?.requestId !== requestId) return false;
    how(this.#invocation);
    return true;
  }

  async #timeOut(timeoutMs: number): Promise<void> {
    const invocation = this.#invocation;
    this.#killedFor = this.#error('timed-out', `Task timed out after ${(timeoutMs / 1000).toFixed(2)} seconds`);
    const putOffMs = this.#killPutOffTo - this.#clock.now();
    if (putOffMs > 0) {
      invocation?.settle.reject(this.#killedFor);
      await this.#clock.wait(putOffMs, this.#over.signal);
    }
    await this.end();
  }

  #gone(how: string): void {
    this.#api?.close();
    this.#api = undefined;
    const { settle } = this.#invocation ?? {};
    this.#invocation = undefined;
    settle?.reject(this.#killedFor ?? this.#error('sandbox-ended', how));
    this.#initFailure ??= this.#killedFor ?? this.#error('sandbox-ended', how);
    this.#over.abort();
    this.#ended.resolve();
  }

  #error(kind: FunctionError['kind'], how: string): FunctionError {
    return new FunctionError(kind, `${this.functionName}: ${how}`);
  }
}

function told({ errorType, errorMessage }: RuntimeFailure): string {
  return `${errorType}: ${errorMessage}`;
}

const SIGNAL_TEXTS: Readonly<Record<string, string>> = { SIGKILL: 'killed', SIGTERM: 'terminated' };

function exitText(code: number | null, signal: string | null): string {
  if (signal !== null) return `Runtime exited with error: signal: ${SIGNAL_TEXTS[signal] ?? signal}`;
  return code === 0 ? 'Runtime exited without providing a reason' : `Runtime exited with error: exit status ${code}`;
}
