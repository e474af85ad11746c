import { SandboxEndedError } from '../../../../functions/executor/execute-messages.ts';
import { createWorkerReporter, knownTypes } from '../../../../functions/executor/report-worker.ts';
import { WorkerPool } from '../../../../functions/worker/worker-pool.ts';
import { flushErrorGroups } from '../../../../shared/features/error-groups/store/error-groups.ts';
import type { HintSource } from '../../../../shared/ports/hint-source.ts';
import type { ReceivedHint } from '../../../../shared/ports/hints.ts';
import { executorDeps, ownHandlers } from '../world/executor-deps.ts';
import { longPolls } from '../world/long-polls.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { World } from '../world/world.ts';

/** A process outside Lambda. */
export interface Machine {
  readonly process: SimProcess;
  /** Tells it to stop. */
  readonly stop: () => void;
  /** How many messages it has received and not acknowledged. */
  readonly held: () => number;
}

const DRAIN_MS = 5_000;
/** Seldom enough that a poll costs a world few events. */
const LOOK_AGAIN_MS = 5_000;

/** A worker outside Lambda: the product's own, with a source that everything may happen to. */
export function startPool(world: World, worker: string, concurrency: number): Machine {
  const { checks, trace, time, queues } = world;
  const process = world.process('executor', 'pool');
  process.outside = true;
  const received = new ReceivedMessages();
  const handlers = ownHandlers(world, process, { worker });
  const ports = world.ports(process);
  const deps = {
    ...executorDeps(world, process, { worker, handlers }, ports),
    flushEvents: () => flushErrorGroups(ports),
    reporter: createWorkerReporter({ kind: 'outside', ...knownTypes(handlers), version: '2' }),
  };
  const stop = new AbortController();
  const source = watchedSource(world, process, received);
  const own = queues.refs.filter((ref) => ref.worker === worker);
  const terms = { source, queues: own, concurrency, drainMs: DRAIN_MS, stop: stop.signal };
  new WorkerPool(deps, terms)
    .work()
    .then(() => flushErrorGroups(ports, true))
    .then(
      () => {
        if (!process.alive) return;
        trace.note(time.now, process.name, 'drained');
        checks.afterDrain(process, received.back);
        process.kill();
      },
      (error: unknown) => {
        if (!(error instanceof SandboxEndedError)) checks.violations.add('no-stray-rejection', `${process.name}: ${String(error)}`);
        process.kill();
      },
    );
  return { process, stop: () => stop.abort(), held: () => received.held };
}

/** What a machine has received. */
export class ReceivedMessages {
  readonly #held = new Map<string, ReceivedHint>();
  readonly #again: ReceivedHint[] = [];

  add(messages: readonly ReceivedHint[]): void {
    for (const message of messages) {
      if (this.#held.has(message.messageId)) this.#again.push(message);
      this.#held.set(message.messageId, message);
    }
  }

  acknowledged({ messageId }: ReceivedHint): void {
    this.#held.delete(messageId);
  }

  /** How many it has not acknowledged. */
  get held(): number {
    return this.#held.size;
  }

  /** What came back, or will: what it did not acknowledge the first time. */
  get back(): readonly ReceivedHint[] {
    return [...this.#again, ...this.#held.values()];
  }
}

/** Where a machine gets its messages; what it does with them is held against the rules. */
export function watchedSource({ queues, checks }: World, process: SimProcess, received: ReceivedMessages): HintSource {
  const polls = longPolls(process.clock, queues.requests(process), LOOK_AGAIN_MS);
  return {
    async receive(queue, terms) {
      const messages = await polls.receive(queue, terms);
      checks.lanes.received(messages);
      received.add(messages);
      return messages;
    },
    async acknowledge(message) {
      checks.hints.acknowledged(process, message);
      received.acknowledged(message);
      await polls.acknowledge(message);
    },
  };
}
