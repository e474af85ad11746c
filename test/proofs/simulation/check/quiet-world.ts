import { seededEntropy } from '../../../../shared/adapters/memory/seeded-entropy.ts';
import type { Row } from '../../../../shared/ports/tables.ts';
import { quietPlan } from '../faults/fault-plan.ts';
import { JOB_TYPES } from '../workload/work-item-jobs.ts';
import { World } from '../world/world.ts';

/** A world in which nothing goes wrong. */
export function quietWorld(): World {
  return new World({ seed: 1, plan: quietPlan(seededEntropy(1)) });
}

/** A job that was enqueued and waits in Jobs. */
export async function readyJob(world: World): Promise<{ readonly id: string; readonly row: Row }> {
  const client = world.client(world.process('client', 'producer'));
  const workItem = { kind: 'plain', workMs: 1, times: 0, delayMs: 0, generations: 0 } as const;
  world.time.after(0, () => void client.enqueue(JOB_TYPES.usual, workItem));
  await world.time.runUntil(world.time.now + 1_000);
  const row = world.store.tables.rows('jobs')[0] as Row;
  return { id: String(row['id']), row };
}
