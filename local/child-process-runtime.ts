import { systemClock } from '../shared/adapters/system.ts';
import type { Clock } from '../shared/ports/clock.ts';
import { FunctionError, type FunctionRuntime } from './function-runtime.ts';
import { SandboxProcess, type SandboxSpec, type SandboxView } from './sandbox-process.ts';

/** A function that runs in processes of its own. */
export interface ChildProcessSpec extends Omit<SandboxSpec, 'log'> {
  /** Sandboxes at the same time; further invocations wait for one. Default 20. */
  readonly maxSandboxes?: number;
  /** How long a sandbox is kept frozen before it is ended. Default 5 min. */
  readonly keepIdleMs?: number;
  /** Receives each line that a sandbox prints. Default: the standard output. */
  readonly log?: (line: string) => void;
}

/** A runtime whose sandboxes are processes. */
export interface ChildProcessRuntime extends FunctionRuntime {
  readonly sandboxes: readonly SandboxView[];
  /** Kills every sandbox; invocations in them fail, and so do later ones. */
  stop(): Promise<void>;
}

const MAX_SANDBOXES = 20;
const KEEP_IDLE_MS = 300_000;
const ASKS_WITHIN_MS = 100;

/**
 * Runs a function as Lambda does: its bundle in a process that speaks the Lambda Runtime API, one invocation at a time in each,
 * frozen in between, killed at the deadline, replaced when it ends. Every process ends with this one. Not on Windows.
 */
export function createChildProcessRuntime(spec: ChildProcessSpec, clock: Clock = systemClock): ChildProcessRuntime {
  if (process.platform === 'win32') throw new Error('Functions in processes of their own need signals that Windows does not have.');
  const pool = new SandboxPool(spec, clock);
  let running = 0;
  return {
    name: spec.name,
    get running() {
      return running;
    },
    get sandboxes() {
      return pool.sandboxes;
    },
    async invoke(event, { timeoutMs }) {
      running += 1;
      try {
        return await pool.use((sandbox) => sandbox.invoke(event, timeoutMs));
      } finally {
        running -= 1;
      }
    },
    stop: () => pool.stop(),
  };
}

class SandboxPool {
  readonly #spec: ChildProcessSpec;
  readonly #clock: Clock;
  readonly #all = new Set<SandboxProcess>();
  readonly #idle = new Map<SandboxProcess, AbortController>();
  readonly #queue: (() => void)[] = [];
  #starting = 0;
  #stopped = false;

  constructor(spec: ChildProcessSpec, clock: Clock) {
    this.#spec = spec;
    this.#clock = clock;
  }

  get sandboxes(): readonly SandboxProcess[] {
    return [...this.#all];
  }

  async use<Result>(work: (sandbox: SandboxProcess) => Promise<Result>): Promise<Result> {
    const sandbox = this.#takeIdle() ?? (await this.#startOrWait());
    try {
      return await work(sandbox);
    } finally {
      // Free when its code asks for its next event. That comes right after the response, and saves starting another.
      const free = sandbox.idle.then(() => this.#keep(sandbox));
      const over = new AbortController();
      await Promise.race([free, sandbox.ended, this.#clock.wait(ASKS_WITHIN_MS, over.signal)]);
      over.abort();
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const over of this.#idle.values()) over.abort();
    await Promise.all([...this.#all].map((sandbox) => sandbox.end()));
    for (const go of this.#queue.splice(0)) go();
  }

  #takeIdle(): SandboxProcess | undefined {
    const [sandbox] = [...this.#idle.keys()].slice(-1);
    if (sandbox) this.#forgetIdle(sandbox);
    return sandbox;
  }

  async #startOrWait(): Promise<SandboxProcess> {
    for (;;) {
      if (this.#stopped) throw new FunctionError('sandbox-ended', `${this.#spec.name}: its sandboxes were stopped`);
      const idle = this.#takeIdle();
      if (idle) return idle;
      if (this.#all.size + this.#starting < (this.#spec.maxSandboxes ?? MAX_SANDBOXES)) return this.#start();
      await new Promise<void>((resolve) => this.#queue.push(resolve));
    }
  }

  async #start(): Promise<SandboxProcess> {
    this.#starting += 1;
    const log = this.#spec.log ?? ((line: string) => void process.stdout.write(`${line}\n`));
    const sandbox = await SandboxProcess.start({ ...this.#spec, log }, this.#clock).finally(() => (this.#starting -= 1));
    this.#all.add(sandbox);
    void sandbox.ended.then(() => {
      this.#all.delete(sandbox);
      this.#forgetIdle(sandbox);
      this.#queue.shift()?.();
    });
    if (this.#stopped) await sandbox.end();
    return sandbox;
  }

  #keep(sandbox: SandboxProcess): void {
    if (this.#stopped || !this.#all.has(sandbox)) return;
    const over = new AbortController();
    this.#idle.set(sandbox, over);
    void this.#clock
      .wait(this.#spec.keepIdleMs ?? KEEP_IDLE_MS, over.signal)
      .then(() => (over.signal.aborted ? undefined : this.#reap(sandbox)));
    this.#queue.shift()?.();
  }

  async #reap(sandbox: SandboxProcess): Promise<void> {
    this.#forgetIdle(sandbox);
    await sandbox.end();
  }

  #forgetIdle(sandbox: SandboxProcess): void {
    this.#idle.get(sandbox)?.abort();
    this.#idle.delete(sandbox);
  }
}
