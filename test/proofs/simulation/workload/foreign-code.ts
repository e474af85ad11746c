import { EveryType } from '../../../../functions/worker/external/every-type.ts';
import type { EndAnswer, External, ExternalTask } from '../../../../functions/worker/external/external.ts';
import { externalOver } from '../../../../functions/worker/external/external-over.ts';
import { createWorkerReporter } from '../../../../functions/executor/report-worker.ts';
import { NightcrewError } from '../../../../shared/job/errors.ts';
import { flushErrorGroups } from '../../../../shared/features/error-groups/store/error-groups.ts';
import { EVERY_TYPE } from '../../../../shared/features/workers/store/worker-rows.ts';
import type { RunEnd } from '../check/run-ledger.ts';
import { executorDeps } from '../world/executor-deps.ts';
import { never, type SimProcess } from '../world/sim-process.ts';
import type { World } from '../world/world.ts';
import type { Actors } from './actors.ts';
import { type Machine, ReceivedMessages, watchedSource } from './machines.ts';
import { JOB_TYPES, type WorkItem } from './work-item-jobs.ts';

const { foreign } = JOB_TYPES;
const LOCK_MS = 20_000;
const LOCK = `PT${LOCK_MS / 1_000}S`;

/** How a task is answered, and what its run was by then. */
interface Reply {
  readonly end: RunEnd;
  readonly send: (session: External) => Promise<EndAnswer>;
}

/** A process that fetches tasks of the worker `foreign`, works at them side by side, and answers as they tell it. */
export function startForeign(world: World, chance: Pick<Actors, 'between'>): Machine {
  const { checks, queues } = world;
  const process = world.process('executor', 'foreign');
  process.outside = true;
  const handlers = new EveryType(foreign.worker, [foreign]);
  const ports = world.ports(process);
  const reporter = createWorkerReporter({ kind: 'outside', types: [EVERY_TYPE], versions: handlers.versions(), version: '2' });
  const deps = { ...executorDeps(world, process, { worker: foreign.worker, handlers }, ports), reporter };
  const own = queues.refs.filter(({ worker }) => worker === foreign.worker);
  const messages = new ReceivedMessages();
  const session = externalOver(deps, { source: watchedSource(world, process, messages), queues: own });
  const held = new Set<string>();
  const stop = new AbortController();
  const work = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const tasks = await session.fetchAndLock(chance.between(1, 3), LOCK, { wait: 'PT5S' }).catch(refused);
      for (const { token } of tasks) held.add(token);
      await Promise.all(tasks.map((task) => new TaskRun(world, process, task).work(session).then(() => held.delete(task.token))));
      await flushErrorGroups(ports);
    }
    await flushErrorGroups(ports, true);
  };
  work().then(
    () => {
      checks.afterDrain(process, messages.back);
      process.kill();
    },
    (error: unknown) => checks.violations.add('no-stray-rejection', `${process.name}: ${String(error)}`),
  );
  return { process, stop: () => stop.abort(), held: () => held.size };
}

/** A call that failed as the store may: foreign code goes on with the next one. */
function refused(error: unknown): [] {
  if (error instanceof NightcrewError) return [];
  throw error;
}

/** Work at one task, from its fetch to its answer. */
class TaskRun {
  readonly #world: World;
  readonly #process: SimProcess;
  readonly #task: ExternalTask;
  /** Until when it is certainly locked. */
  #until: number;
  #extending = false;

  constructor(world: World, process: SimProcess, task: ExternalTask) {
    this.#world = world;
    this.#process = process;
    this.#task = task;
    this.#until = task.lockedUntil.getTime();
  }

  async work(session: External): Promise<void> {
    const { clock } = this.#process;
    const { ledger, tracker } = this.#world.checks;
    const { id, group, payload } = this.#task;
    if (clock.now() >= this.#until) return this.#walkAway();
    const dueAt = new Date(String(tracker.jobs.get(id)?.row['dueAt']));
    const end = ledger.start(this.#process, { id, group, dueAt }, new AbortController().signal);
    for (let left = (payload as WorkItem).workMs; left > 0; left -= 1_000) {
      if (!this.#extending && this.#until - clock.now() < (LOCK_MS * 2) / 3) void this.#extend(session);
      await clock.wait(Math.min(1_000, left, this.#until - clock.now()));
      if (clock.now() < this.#until) continue;
      end('stopped');
      return this.#walkAway();
    }
    const reply = this.#reply(payload as WorkItem);
    end(reply.end);
    const answer = await reply.send(session).catch(refused);
    // Others have taken it, so the answer writes nothing, and the lock of its group runs out.
    const isTaken = 'result' in answer && answer.result === 'lost' && tracker.jobs.get(id)?.owner !== this.#process;
    if (isTaken || !('result' in answer)) this.#walkAway();
  }

  async #extend(session: External): Promise<void> {
    const { id, token } = this.#task;
    this.#extending = true;
    const answer = await session.extendLock(id, token, LOCK).catch(refused);
    this.#extending = false;
    if ('result' in answer) this.#until = answer.result === 'lost' ? 0 : answer.lockedUntil.getTime();
  }

  /** Its lock runs out: that is found by the sweeper. */
  #walkAway(): void {
    this.#process.troubles++;
  }

  #reply({ kind, times, delayMs }: WorkItem): Reply {
    const { id, token, failures, attempt } = this.#task;
    const { clock } = this.#process;
    const message = 'not yet';
    switch (kind) {
      case 'flaky':
        if (failures < times) return { end: 'failed', send: (session) => session.fail(id, token, { message }) };
        break;
      case 'hopeless':
        return {
          end: 'failed',
          send: (session) => session.fail(id, token, times === 0 ? { message, retries: 0 } : { message, delay: delayMs }),
        };
      case 'snoozing':
        if (attempt <= times) return { end: 'uncounted', send: (session) => session.unlock(id, token) };
        break;
      case 'stuck':
        // Its answer comes when its lock has ended.
        if (attempt <= times) return { end: 'done', send: (session) => clock.wait(delayMs).then(async () => session.complete(id, token)) };
        break;
      case 'poison':
        this.#process.kill();
        return { end: 'stopped', send: never };
      default:
    }
    return { end: 'done', send: (session) => session.complete(id, token) };
  }
}
