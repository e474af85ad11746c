import { defineJob } from '../../../../shared/job/job-type.ts';
import { MAX_CLOCK_SKEW_MS } from '../../../../shared/job/lease.ts';
import { startOutside } from '../../../support/outside-worker.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';
import { severedTables } from '../../../support/severed-tables.ts';

const SECOND = 1_000;
const work = defineJob('work', { payload: anyPayload });

/** A worker outside Lambda is cut off from its store: its handler has ended before another clock can say that its lease has. */
export async function toldInTime(): Promise<readonly { readonly rule: 'runs-once-at-a-time'; readonly what: string }[]> {
  let endedAt = Number.POSITIVE_INFINITY;
  const rig: Rig = new Rig({
    handlers: [work.handle(({ signal }) => rig.clock.wait(600 * SECOND, signal).then(() => void (endedAt = rig.clock.now())))],
  });
  const severed = severedTables(rig.tables);
  await rig.client.enqueue(work, {});
  const worker = startOutside(rig, {}, { ...rig.deps, tables: severed.tables });
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      await rig.settle();
      await rig.clock.advance(SECOND);
    }
  };
  await pass(5);
  severed.cutOff();
  const [row] = await rig.rows('jobs');
  await pass(90);
  worker.stop();
  await rig.until(worker.ended);
  if (endedAt < Date.parse(String(row?.['lockExpiresAt'])) - MAX_CLOCK_SKEW_MS) return [];
  return [{ rule: 'runs-once-at-a-time', what: 'a handler whose lease was not renewed runs until that ends' }];
}
