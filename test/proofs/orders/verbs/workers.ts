import type { JobInfo } from '../../../../shared/job/job-info.ts';
import { EveryType } from '../../../../functions/worker/external/every-type.ts';
import type { External, ExternalTask } from '../../../../functions/worker/external/external.ts';
import { externalOver } from '../../../../functions/worker/external/external-over.ts';
import { WorkerPool } from '../../../../functions/worker/worker-pool.ts';
import type { RunEnd } from '../../simulation/check/run-ledger.ts';
import { executorDeps, ownHandlers } from '../../simulation/world/executor-deps.ts';
import type { SimProcess } from '../../simulation/world/sim-process.ts';
import { JOB_TYPES } from '../../simulation/workload/work-item-jobs.ts';
import { hintSource } from '../hint-source.ts';
import { deliverAgain } from '../receive-one.ts';
import type { Scene } from '../scene.ts';
import type { Verb } from './verb.ts';

const WORKER = 'default';
const WORK_MS = 1_000;
/** Longer than a job takes and than a third of a lease, so that a heartbeat comes. */
const LONG_LEASE = 'PT20S';

type Answer = (session: External, task: ExternalTask, process: SimProcess) => Promise<{ readonly result: string }>;

/** Foreign code: takes one task, works at it and answers. Its run is written down, as the rules know of runs. */
function foreign(name: string, end: RunEnd, answer: Answer): Verb {
  return {
    name,
    role: 'foreign',
    // Foreign workers take no slots: the invariants of limits would miss them.
    fits: ({ feature }) => feature !== 'limit' && feature !== 'rate',
    async act(scene) {
      const { world } = scene.stage;
      const process = world.process('executor', name);
      const types = Object.values(JOB_TYPES).filter(({ worker }) => worker === WORKER);
      const deps = executorDeps(world, process, { worker: WORKER, handlers: new EveryType(WORKER, types) });
      const queues = deliverAgain(scene.stage, scene.id);
      const session = externalOver(deps, { source: hintSource(world, process), queues });
      const [task] = await session.fetchAndLock(1, LONG_LEASE);
      if (task === undefined) return 'no task';
      const { schedule, backfill } = world.checks.tracker.jobs.get(task.id)?.row ?? {};
      const run = { id: task.id, group: task.group, dueAt: new Date(0), schedule, backfill } as unknown as JobInfo;
      const ended = world.checks.ledger.start(process, run, new AbortController().signal);
      const apart = world.checks.schedules.start(process, run);
      await process.clock.wait(WORK_MS);
      apart();
      ended(end);
      return (await answer(session, task, process)).result;
    },
  };
}

/** A worker in a process of its own, until it has nothing to do any more. */
async function outside(scene: Scene): Promise<string> {
  const { world } = scene.stage;
  const process = world.process('executor', 'outside');
  const stop = new AbortController();
  const queues = deliverAgain(scene.stage, scene.id);
  const terms = { source: hintSource(world, process), queues, concurrency: 1, drainMs: 5_000, stop: stop.signal };
  const handlers = ownHandlers(world, process, { worker: WORKER });
  const work = new WorkerPool(executorDeps(world, process, { worker: WORKER, handlers }), terms).work();
  void process.clock.wait(2 * WORK_MS).then(() => stop.abort());
  await work;
  return 'drained';
}

/** What workers outside Lambda do. */
export const WORKER_VERBS: readonly Verb[] = [
  foreign('fetch-and-complete', 'done', (session, { id, token }) => session.complete(id, token)),
  foreign('fetch-and-fail', 'failed', (session, { id, token }) => session.fail(id, token, { message: 'failed' })),
  foreign('fetch-and-bury', 'failed', (session, { id, token }) => session.fail(id, token, { message: 'failed', retries: 0 })),
  foreign('fetch-and-unlock', 'uncounted', (session, { id, token }) => session.unlock(id, token)),
  foreign('fetch-extend-and-complete', 'done', async (session, { id, token }, process) => {
    await session.extendLock(id, token, 'PT30S');
    await process.clock.wait(WORK_MS);
    return session.complete(id, token);
  }),
  { name: 'outside', role: 'outside', act: outside },
];
