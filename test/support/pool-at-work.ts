import { createMemoryHintSource } from '../../shared/adapters/memory/hint-source.ts';
import type { HandledJob } from '../../shared/job/job-type.ts';
import type { QueueRef } from '../../shared/ports/hints.ts';
import { WorkerPool, type WorkerPoolTerms } from '../../functions/worker/worker-pool.ts';
import type { ExecutorDeps } from '../../functions/executor/deps.ts';
import { Rig, type RigOptions } from './rig.ts';

const SECOND = 1_000;

/** The queue that a pool at work polls by default. */
export const STANDARD: QueueRef = { worker: 'default', lane: 'default', kind: 'standard' };

/** Never settles. */
export const never = (): Promise<never> => new Promise(() => {});

/** A running pool over its own rig, whose drain takes a second; `pass` advances time. */
export function started(
  handlers: (rig: () => Rig) => readonly HandledJob[],
  given: { options?: RigOptions; deps?: (rig: Rig) => Partial<ExecutorDeps>; terms?: (rig: Rig) => Partial<WorkerPoolTerms> } = {},
): { readonly rig: Rig; readonly stop: AbortController; readonly ended: Promise<void> } {
  const rig: Rig = new Rig({ handlers: handlers(() => rig), ...given.options });
  const stop = new AbortController();
  const source = createMemoryHintSource(rig.hints, rig.clock);
  const terms = { source, queues: [STANDARD], concurrency: 2, drainMs: SECOND, stop: stop.signal, ...given.terms?.(rig) };
  const ended = new WorkerPool({ ...rig.deps, ...given.deps?.(rig) }, terms).work();
  ended.catch(() => {});
  return { rig, stop, ended };
}

/** Advances time in steps, each after everything has settled. */
export async function pass(rig: Rig, ms: number, stepMs = SECOND): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    await rig.settle();
    await rig.clock.advance(stepMs);
  }
  await rig.settle();
}
