import { jobIdFrom, shardOf } from '../../../../shared/job/job-id.ts';
import type { Actor } from '../../../../shared/job/transitions.ts';
import type { Flow, Stage } from '../flow.ts';
import { STANDARD } from '../scripted-world.ts';
import { makeUnreadable } from '../../simulation/faults/make-unreadable.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Texts whose ids have the same shard at any time. */
const OF_ONE_SHARD = Array.from({ length: 600 }, (_, index) => `timer ${index}`).filter((name) => shardOf(jobIdFrom(0, name)) === '00');

/** A backlog explains a wait for 24 minutes at most: in the ticks of a day each fault would meet thousands of others. */
const SHORT_PATIENCE = { backlogPatienceMs: MINUTE };

/** Something is there before the processes under observation meet it. */
function ticking(name: string, observed: readonly Actor[], before: (stage: Stage) => Promise<unknown>, more: Partial<Flow> = {}): Flow {
  return {
    name,
    observed,
    async script(stage) {
      stage.source.on = false;
      await before(stage);
      stage.observe();
    },
    ...more,
    settings: { ...SHORT_PATIENCE, ...more.settings },
  };
}

/** Timers of one shard, due at the same instant. */
async function timers(stage: Stage, count: number): Promise<void> {
  for (const name of OF_ONE_SHARD.slice(0, count)) await stage.enqueue('usual', {}, { id: jobIdFrom(stage.now + HOUR, name) });
  await stage.pass(HOUR - 4 * MINUTE - SECOND);
}

/** The messages of all that was enqueued are gone. */
async function unsent(stage: Stage, count: number): Promise<void> {
  for (let index = 0; index < count; index++) await stage.enqueue('usual', {});
  stage.world.queues.replace(STANDARD);
}

/** An executor has died in the middle of a job that ran alone. */
async function crashed(stage: Stage, group?: string): Promise<void> {
  await stage.enqueue('usual', { workMs: 5 * SECOND, ...(group === undefined ? {} : { group }) });
  stage.source.on = true;
  stage.source.wake();
  await stage.pass(2 * SECOND);
  stage.source.on = false;
  for (const process of stage.sandboxes.processes) process.kill();
}

/** The sweeper does not run until the message of a dead executor comes back by itself. */
async function crashedUnswept(stage: Stage): Promise<void> {
  await crashed(stage);
  stage.source.on = true;
  await stage.pass(6 * MINUTE - 10 * SECOND);
}

async function unknown(stage: Stage): Promise<void> {
  stage.sandboxes.version = () => 1;
  await stage.enqueue('later', {});
  stage.source.on = true;
  await stage.pass(0);
}

/** A type without a handler at first; the newer version is deployed when its job is suspended. */
async function suspended(stage: Stage): Promise<void> {
  await unknown(stage);
  stage.source.wake();
  await stage.until(() => stage.world.store.tables.rows('suspended').length > 0);
  stage.sandboxes.version = () => 2;
  stage.sandboxes.retire();
}

async function spoiled(stage: Stage, table: 'jobs' | 'timers', delay: number): Promise<void> {
  for (let index = 0; index < 2; index++) await stage.enqueue('usual', {}, { delay });
  const [row] = stage.world.store.tables.rows(table);
  if (row !== undefined) await makeUnreadable(stage.world, table, row);
}

/** Flows of the acquirer and the sweeper, and of executors after them. */
export const TICKING: readonly Flow[] = [
  ticking('fire', ['acquirer'], (stage) => timers(stage, 1)),
  ticking('fire-a-page', ['acquirer'], (stage) => timers(stage, 5), { settings: { timerPageSize: 2 } }),
  ticking('sweep-a-lost-send', ['sweeper'], (stage) => unsent(stage, 1)),
  ticking('sweep-lost-sends', ['sweeper'], (stage) => unsent(stage, 4), { settings: { sweepPageSize: 2 } }),
  ticking('sweep-a-crash', ['sweeper', 'executor'], (stage) => crashed(stage)),
  ticking('sweep-a-crash-in-a-group', ['sweeper', 'executor'], (stage) => crashed(stage, 'g')),
  ticking('take-over', ['executor'], crashedUnswept),
  ticking('suspend-unknown', ['executor'], async (stage) => {
    await unknown(stage);
    stage.world.time.after(30 * SECOND, () => {
      stage.sandboxes.version = () => 2;
      stage.sandboxes.retire();
    });
  }),
  ticking('resume', ['sweeper'], suspended),
  ticking('quarantine-by-the-acquirer', ['acquirer'], (stage) => spoiled(stage, 'timers', HOUR)),
  ticking('quarantine-by-the-sweeper', ['sweeper'], async (stage) => {
    await spoiled(stage, 'jobs', 0);
    stage.world.queues.replace(STANDARD);
  }),
  ticking('quarantine-by-an-executor', ['executor'], (stage) => spoiled(stage, 'jobs', 0)),
];
