import { createSweeper } from '../../functions/sweeper/create-sweeper.ts';
import { resolveSettings } from '../../shared/config/settings.ts';
import type { BenchPlan } from '../frame/bench.ts';
import { interleave } from '../frame/interleave.ts';
import type { Measurement } from '../frame/measurement.ts';
import { putItems } from './bare-enqueue.ts';
import { bareJob } from './bare-row.ts';
import { scanBare } from './bare-scan.ts';
import type { Emulated } from './emulated.ts';
import { invocation } from './invocation.ts';
import { orders } from './orders.ts';
import { type Pace, paceLines, paceOf, type Part } from './per-second.ts';

const [FULL_ROWS, SHORT_ROWS] = [10_000, 400];
/** The leases have to outlast the bench. */
const ALIVE_MS = 3_600_000;

/** Live rows per second that a sweeper run reads, compared with a bare parallel scan with the same segments, page size and consistency. */
export async function measureSweeper(plan: BenchPlan, emulated: Emulated, part: Part): Promise<readonly Measurement[]> {
  const count = plan.short ? SHORT_ROWS : FULL_ROWS;
  const place = await emulated.place();
  const dueAt = Date.now() + ALIVE_MS;
  await putItems(
    emulated.bare,
    place.names.jobs,
    orders(count).map((one) => bareJob(one, dueAt)),
  );
  const sweeper = createSweeper({ environment: place.environment });
  const { sweepSegments: segments, sweepPageSize: pageSize } = resolveSettings();
  const look = (scan: () => Promise<number | undefined>) => (): Promise<Pace> =>
    paceOf(count, async () => {
      const scanned = await scan();
      if (scanned !== count) throw new Error(`${scanned} of ${count} rows were looked at.`);
    });
  const rounds = await interleave(
    plan,
    {
      ours: look(async () => (await sweeper({}, invocation())).seen?.jobs),
      bare: look(async () => scanBare(emulated.bare, place, { segments, pageSize })),
    },
    { ...part, label: 'sweeper' },
  );
  const what = `sweeper, ${count.toLocaleString('en-US')} live rows`;
  return paceLines({ id: 'throughput.sweeper', what, item: 'row', baselineName: 'Scan in a loop', least: 0.9 }, rounds);
}
