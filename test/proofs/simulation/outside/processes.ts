import { executeMessages } from '../../../../functions/executor/execute-messages.ts';
import { WorkerPool } from '../../../../functions/worker/worker-pool.ts';
import { EveryType } from '../../../../functions/worker/external/every-type.ts';
import type { External, ExternalTask } from '../../../../functions/worker/external/external.ts';
import { externalOver } from '../../../../functions/worker/external/external-over.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { OutsideWorld, Work, WorkerName } from './outside-world.ts';

/** A process that is replaced when it has ended, and can be told to stop. */
export interface Machine {
  readonly process: SimProcess;
  readonly stop: () => void;
}

const LEASE_MS = 20_000;

/** A worker outside Lambda: the product's own, with everything but the network. */
export function startWorkerPool(world: OutsideWorld, worker: WorkerName, concurrency: number): Machine {
  const process = world.process(worker);
  const stop = new AbortController();
  const terms = { source: world.source(process), queues: [world.queueOf(worker)], concurrency, drainMs: 5_000, stop: stop.signal };
  const end = (): void => process.kill();
  new WorkerPool(world.deps(process, worker), terms).work().then(end, end);
  return { process, stop: () => stop.abort() };
}

/** Foreign code: fetches tasks, works at them one by one, extends what it works at, and stops when its lock has ended. */
export function startForeign(world: OutsideWorld): Machine {
  const process = world.process('foreign');
  const deps = { ...world.deps(process, 'foreign'), handlers: new EveryType('foreign', []) };
  const session = externalOver(deps, { source: world.source(process), queues: [world.queueOf('foreign')] });
  const stop = new AbortController();
  const work = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const tasks = await session.fetchAndLock(world.between(1, 3), `PT${LEASE_MS / 1_000}S`, { wait: 'PT5S' }).catch(() => []);
      for (const task of tasks) await workAt(world, process, session, task);
    }
    process.kill();
  };
  void work();
  return { process, stop: () => stop.abort() };
}

async function workAt(world: OutsideWorld, process: SimProcess, session: External, task: ExternalTask): Promise<void> {
  const { id, token, group } = task;
  const { clock } = process;
  let until = task.lockedUntil.getTime();
  let extending = false;
  const extend = async (): Promise<void> => {
    extending = true;
    const answer = await session.extendLock(id, token, `PT${LEASE_MS / 1_000}S`).catch(() => undefined);
    extending = false;
    if (answer !== undefined) until = answer.result === 'lost' ? 0 : answer.lockedUntil.getTime();
  };
  if (clock.now() >= until) return;
  const end = world.invariants.start(process, id, group);
  for (let left = (task.payload as Work).ms; left > 0; left -= 1_000) {
    if (!extending && until - clock.now() < (LEASE_MS * 2) / 3) void extend();
    await clock.wait(Math.min(1_000, until - clock.now()));
    if (clock.now() < until) continue;
    end();
    return;
  }
  end();
  await session.complete(id, token).catch(() => undefined);
}

/** Lambda: a sandbox for each batch, killed at its deadline. */
export function startLambda(world: OutsideWorld): void {
  const { executorTimeoutMs } = world.deployment.settings;
  const poll = (): void => {
    const messages = world.hints.receive(world.queueOf('lambda'), 10);
    if (messages.length > 0) {
      const process = world.process('lambda');
      const invocation = { requestId: process.name, deadlineAt: process.clock.now() + executorTimeoutMs };
      world.time.after(executorTimeoutMs, () => process.kill());
      const answered = (back: readonly string[]): void => {
        if (process.alive) for (const message of messages) if (!back.includes(message.messageId)) world.hints.acknowledge(message);
        process.kill();
      };
      executeMessages(world.deps(process, 'lambda'), messages, invocation).then(answered, () => process.kill());
    }
    world.time.after(1_000, poll);
  };
  poll();
}
