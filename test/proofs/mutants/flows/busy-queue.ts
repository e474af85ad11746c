import { EXPLAINED_PATIENCES } from '../../../../shared/job/lease.ts';
import { jobIdFrom } from '../../../../shared/job/job-id.ts';
import { ScriptedWorld } from '../../exhaustive/scripted-world.ts';
import type { Violation } from '../../simulation/check/violations.ts';

const MINUTE = 60_000;
const FOREIGN_MESSAGES = 20;
/** A tick, and what a clock may be ahead. */
const SLACK = 2 * MINUTE;

/**
 * The event source is off for more than a day, the queue is full of other messages, and the hint of one job was lost. The sweeper lets the
 * backlog explain the wait for as long as it says, and no longer.
 */
export async function busyQueue(): Promise<readonly Violation[]> {
  const stage = new ScriptedWorld();
  stage.source.on = false;
  const { queues, checks, deployment } = stage.world;
  const { firstRedispatchAfterMs, backlogPatienceMs } = deployment.settings;
  const explainedUntil = stage.now + firstRedispatchAfterMs + EXPLAINED_PATIENCES * backlogPatienceMs;
  const id = String(await stage.enqueue('usual', {}));
  for (const ref of queues.refs) {
    queues.replace(ref);
    for (let index = 0; index < FOREIGN_MESSAGES; index++)
      queues.inject(ref, JSON.stringify({ v: 1, id: jobIdFrom(stage.now, `foreign-${index}`), n: 1 }));
  }
  const resetsBy = async (end: number): Promise<number> => {
    for (; stage.now < end; await stage.pass(MINUTE)) void stage.sandboxes.sweep();
    return checks.tracker.jobs.get(id)?.resets ?? 0;
  };
  if ((await resetsBy(explainedUntil - SLACK)) > 0)
    checks.violations.add('rescued-in-time', `${id} was sent again though a backlog explains its wait`);
  if ((await resetsBy(explainedUntil + SLACK)) === 0)
    checks.violations.add('rescued-in-time', `${id} was not sent again, however long it waited behind others`);
  return checks.violations.list;
}
