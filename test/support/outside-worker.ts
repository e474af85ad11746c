import { createMemoryHintSource } from '../../shared/adapters/memory/hint-source.ts';
import type { HintSource } from '../../shared/ports/hint-source.ts';
import type { ExecutorDeps } from '../../functions/executor/deps.ts';
import { createRulesCache } from '../../functions/executor/gates/rules.ts';
import { WorkerPool, type WorkerPoolTerms } from '../../functions/worker/worker-pool.ts';
import type { Rig } from './rig.ts';

/** A worker outside Lambda over a rig. */
export interface OutsideWorker {
  /** Stopped. */
  stop(): void;
  /** Settles when the worker has ended. */
  readonly ended: Promise<void>;
  readonly source: HintSource;
}

/** Starts a worker in the rig's world; time advances only with the rig's clock. */
export function startOutside(
  rig: Rig,
  terms: Partial<Pick<WorkerPoolTerms, 'concurrency' | 'drainMs' | 'queues'>> = {},
  deps: ExecutorDeps = rig.deps,
): OutsideWorker {
  const stop = new AbortController();
  const source = createMemoryHintSource(rig.hints, rig.clock);
  // Each process has its own caches.
  const pool = new WorkerPool(
    { ...deps, rules: createRulesCache() },
    { source, queues: rig.queues, concurrency: 1, drainMs: 20_000, ...terms, stop: stop.signal },
  );
  const ended = pool.work();
  // The test awaits it later; until then a rejection must not count as unhandled.
  ended.catch(() => {});
  return { stop: () => stop.abort(), ended, source };
}
