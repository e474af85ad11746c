import { acquireTimers } from '../../../../functions/acquirer/acquire-timers.ts';
import type { AcquirerShare } from '../../../../functions/acquirer/acquirer-share.ts';
import { sweep } from '../../../../functions/sweeper/sweep.ts';
import type { Actor } from '../../../../shared/job/transitions.ts';
import type { ReceivedHint } from '../../../../shared/ports/hints.ts';
import type { Invocation } from '../../../../shared/ports/sandbox.ts';
import { executeMessages } from '../../../../functions/executor/execute-messages.ts';
import type { ExecutorDeps } from '../../../../functions/executor/deps.ts';
import { createWorkerReporter, knownTypes } from '../../../../functions/executor/report-worker.ts';
import { flushErrorGroups } from '../../../../shared/features/error-groups/store/error-groups.ts';
import { executorDeps, ownHandlers } from './executor-deps.ts';
import type { SimProcess } from './sim-process.ts';
import { worldHas } from './some-worlds.ts';
import type { ProcessPorts, World } from './world.ts';

interface Sandbox {
  readonly process: SimProcess;
  readonly kind: string;
  readonly ports: ProcessPorts;
  readonly deps?: ExecutorDeps;
  hops: number;
  busy: boolean;
  /** A newer version is deployed: it takes no further invocation. */
  retired: boolean;
}

/** As the functions do it: what was summed up is written when the work has ended, and its answer waits for that. */
async function flushed<Result>(ports: ProcessPorts, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } finally {
    await flushErrorGroups(ports);
  }
}

/**
 * The functions of a deployment as Lambda runs them: a sandbox for each invocation at a time, frozen between invocations, used
 * again, killed at its deadline, replaced when it dies. The code in them is the product's own.
 */
export class Sandboxes {
  /** Deaths of executors in the middle of an invocation, in messages that they held. */
  orphans = 0;
  /** Which version newly started executors run. */
  version: () => 1 | 2 = () => 2;
  readonly #world: World;
  readonly #all = new Set<Sandbox>();
  #requests = 0;

  constructor(world: World) {
    this.#world = world;
  }

  get processes(): readonly SimProcess[] {
    return [...this.#all].map(({ process }) => process);
  }

  /** Runs one batch; the ids of messages that come back, or nothing when the invocation failed. */
  async execute(worker: string, messages: readonly ReceivedHint[]): Promise<readonly string[] | undefined> {
    const { settings } = this.#world.deployment;
    const sandbox = this.#sandbox(`executor-${worker}`, 'executor', worker);
    sandbox.hops = 1 + Math.max(...messages.map((message) => this.#world.queues.hopsOf(message)));
    const deps = sandbox.deps as ExecutorDeps;
    const back = await this.#invoke(sandbox, settings.executorTimeoutMs, (invocation) => executeMessages(deps, messages, invocation));
    if (back === undefined) this.orphans += messages.length;
    else this.#world.checks.afterBatch(sandbox.process, messages, back);
    return back;
  }

  async acquire(share: AcquirerShare = { acquirer: 0, of: 1 }): Promise<void> {
    const { deployment, checks } = this.#world;
    const sandbox = this.#sandbox('acquirer', 'acquirer');
    await this.#invoke(sandbox, deployment.settings.acquirerTimeoutMs, (invocation) =>
      acquireTimers({ ...sandbox.ports, deployment }, share, invocation),
    );
    if (sandbox.process.alive) checks.hints.ended(sandbox.process);
  }

  async sweep(): Promise<void> {
    const { deployment, queues, checks } = this.#world;
    const sandbox = this.#sandbox('sweeper', 'sweeper');
    const deps = { ...sandbox.ports, deployment, backlog: queues.inbox(sandbox.process) };
    const bounded = worldHas('bounder', this.#world.options.seed);
    await this.#invoke(sandbox, deployment.settings.sweeperTimeoutMs, (invocation) => sweep(deps, invocation, bounded));
    if (sandbox.process.alive) checks.hints.ended(sandbox.process);
  }

  /** Sends no further invocation to the present sandboxes, as after a deployment. */
  retire(): void {
    for (const sandbox of this.#all) sandbox.retired = true;
  }

  #sandbox(kind: string, role: Actor, worker?: string): Sandbox {
    const idle = [...this.#all].find((sandbox) => sandbox.kind === kind && !sandbox.busy && !sandbox.retired);
    if (idle !== undefined) return idle;
    const process = this.#world.process(role, kind);
    const sandbox: { -readonly [Name in keyof Sandbox]: Sandbox[Name] } = {
      process,
      kind,
      hops: 0,
      busy: false,
      retired: false,
      ports: undefined as never,
    };
    sandbox.ports = this.#world.ports(process, () => sandbox.hops);
    if (worker !== undefined) sandbox.deps = this.#executorParts(sandbox, worker);
    this.#all.add(sandbox);
    process.onDeath(() => void this.#all.delete(sandbox));
    process.freeze('between-invocations');
    return sandbox;
  }

  #executorParts({ process, ports }: Sandbox, worker: string): ExecutorDeps {
    const client = this.#world.client(process, () => [...this.#all].find((one) => one.process === process)?.hops ?? 0);
    const version = this.version();
    const handlers = ownHandlers(this.#world, process, { worker, version, client });
    const reporter = createWorkerReporter({ kind: 'lambda', ...knownTypes(handlers), version: String(version) });
    return { ...executorDeps(this.#world, process, { worker, handlers }, ports), reporter };
  }

  /** One invocation: what the function gave back, or nothing when it threw or its sandbox died. */
  #invoke<Result>(sandbox: Sandbox, timeoutMs: number, work: (invocation: Invocation) => Promise<Result>): Promise<Result | undefined> {
    const { time, trace, options } = this.#world;
    const { process } = sandbox;
    const deadlineAt = time.now + timeoutMs;
    // Where a clock is off on purpose, its host tells the deadline by it too.
    const told = deadlineAt + (options.skewOf === undefined ? 0 : process.skewMs);
    const invocation = { requestId: `request-${++this.#requests}`, deadlineAt: told };
    trace.note(time.now, process.name, `invoked ${invocation.requestId}`);
    sandbox.busy = true;
    process.invokedAt = time.now;
    process.deadlineAt = deadlineAt;
    this.#world.checks.hints.begin(process);
    let running = true;
    return new Promise((resolve) => {
      const end = (result: Result | undefined): void => {
        if (!running) return;
        running = false;
        sandbox.busy = false;
        if (process.alive) process.freeze('between-invocations');
        resolve(result);
      };
      process.onDeath(() => end(undefined));
      if (options.deadlines !== false) time.after(timeoutMs, () => running && !process.outlivesDeadline && process.kill());
      process.thaw('between-invocations');
      process.deliver(0, () => {
        flushed(sandbox.ports, work(invocation)).then(
          (result) => process.alive && end(result),
          (error: unknown) => {
            if (!process.alive) return;
            trace.note(time.now, process.name, `threw ${String(error)}`);
            end(undefined);
          },
        );
      });
    });
  }
}
