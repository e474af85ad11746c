import { DEFAULT_RETRY } from '../../../shared/core/retry-policy.ts';
import type { HandledJob } from '../../../shared/core/job-type.ts';
import type { HintSource } from '../../../shared/ports/hint-source.ts';
import type { ExecutorDeps } from '../../../functions/executor/deps.ts';
import { createRulesCache } from '../../../functions/executor/rules-cache.ts';
import type { SimProcess } from '../simulation/world/sim-process.ts';
import type { World } from '../simulation/world/world.ts';
import { handlersOf } from '../simulation/workload/handlers.ts';

const LOG = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const LOOK_AGAIN_MS = 1_000;

/** What a worker outside Lambda is made of in a simulated world. */
export function outsideParts(world: World, process: SimProcess, handlers: ReadonlyMap<string, HandledJob>): ExecutorDeps {
  return {
    ...world.ports(process),
    deployment: { ...world.deployment, worker: 'default' },
    inbox: world.queues.inbox(process),
    sandbox: { end: () => process.kill() },
    handlers,
    around: [],
    rules: createRulesCache(),
    retry: DEFAULT_RETRY,
    log: () => LOG,
  };
}

/** The handlers of the simulated jobs, in a process of their own. */
export function ownHandlers(world: World, process: SimProcess): ReadonlyMap<string, HandledJob> {
  const { checks } = world;
  return handlersOf({
    process,
    ledger: checks.ledger,
    limits: checks.limits,
    schedules: checks.schedules,
    client: world.client(process),
    worker: 'default',
    version: 2,
    died: () => {},
    accepted: (id) => checks.accept(id),
  });
}

/** Where such a worker gets its messages; its requests wait for their turn like all others. */
export function hintSource({ chaos, queues }: World, process: SimProcess): HintSource {
  const { clock } = process;
  return {
    async receive(queue, { max, waitMs, signal }) {
      const until = clock.now() + waitMs;
      for (;;) {
        await chaos.gate?.(process, 'visible');
        if (signal?.aborted === true) return [];
        const messages = queues.receive(queue, max);
        const leftMs = until - clock.now();
        if (messages.length > 0 || leftMs <= 0) return messages;
        await clock.wait(Math.min(LOOK_AGAIN_MS, leftMs), signal);
      }
    },
    async acknowledge(message) {
      await chaos.gate?.(process, 'visible');
      queues.acknowledge([message]);
    },
  };
}
