import { createMemoryHintSource } from '../../shared/adapters/memory/hint-source.ts';
import type { HintSource } from '../../shared/ports/hint-source.ts';
import type { ExecutorDeps } from '../../functions/executor/deps.ts';
import { createRulesCache } from '../../functions/executor/rules-cache.ts';
import { WorkerPool, type WorkerPoolTerms } from '../../functions/worker/worker-pool.ts';
import type { Rig } from './rig.ts';

/** A worker outside Lambda over a rig. */
export interface OutsideWorker {
  /** Told to stop. */
  stop(): void;
  /** Settles when the worker has ended. */
  readonly ended: Promise<void>;
  readonly source: HintSource;
}

/** Starts a worker in the rig's world; time goes on only as the rig's clock does. */
export function startOutside(
  rig: Rig,
  terms: Partial<Pick<WorkerPoolTerms, 'concurrency' | 'drainMs' | 'queues'>> = {},
  deps: ExecutorDeps = rig.deps,
): OutsideWorker {
  const stop = new AbortController();
  const source = createMemoryHintSource(rig.hints, rig.clock);
  // What a process remembers is its own.
  const pool = new WorkerPool(
    { ...deps, rules: createRulesCache() },
    { source, queues: rig.queues, concurrency: 1, drainMs: 20_000, ...terms, stop: stop.signal },
  );
  const ended = pool.work();
  // Looked at by the test when it wants to; until then an end in error is not an unhandled one.
  ended.catch(() => {});
  return { stop: () => stop.abort(), ended, source };
}
