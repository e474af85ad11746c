import { ScriptedWorld } from '../../exhaustive/scripted-world.ts';
import type { Violation } from '../../simulation/check/violations.ts';

const MINUTE = 60_000;
const WAITING = 10;
/** Ticks: one that finds that the backlog explains the wait, one that knows what waits, and what a clock may be ahead. */
const SLACK = 4 * MINUTE;

/**
 * Jobs come and go, none of them waits for more than a few minutes, and the queue is never empty; the hint of one job was lost. The messages of
 * the others explain its wait for as long as the patience and no longer.
 */
export async function movingQueue(): Promise<readonly Violation[]> {
  const stage = new ScriptedWorld();
  stage.source.on = false;
  const { queues, checks, deployment } = stage.world;
  const { firstRedispatchAfterMs, backlogPatienceMs } = deployment.settings;
  const explainedUntil = stage.now + firstRedispatchAfterMs + backlogPatienceMs;
  const id = String(await stage.enqueue('usual', {}));
  for (const ref of queues.refs) queues.replace(ref);
  while (stage.now < explainedUntil - 5 * MINUTE) await stage.pass(MINUTE);
  for (let n = 0; n < WAITING; n++) await stage.enqueue('usual', {});
  for (; stage.now < explainedUntil + SLACK; await stage.pass(MINUTE)) void stage.sandboxes.sweep();
  if ((checks.tracker.jobs.get(id)?.resets ?? 0) === 0)
    checks.violations.add('rescued-in-time', `${id} was not sent again, although every message in its queue was newer by an hour`);
  return checks.violations.list;
}
