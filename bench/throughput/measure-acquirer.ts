import { createAcquirer } from '../../functions/acquirer/create-acquirer.ts';
import { resolveSettings } from '../../shared/config/settings.ts';
import { shardsOf } from '../../shared/job/job-id.ts';
import type { BenchPlan } from '../frame/bench.ts';
import { interleave } from '../frame/interleave.ts';
import type { Measurement } from '../frame/measurement.ts';
import { acquireBare } from './bare-acquire.ts';
import { putItems } from './bare-enqueue.ts';
import { bareTimer } from './bare-row.ts';
import type { Emulated, Place } from './emulated.ts';
import { invocation } from './invocation.ts';
import { orders } from './orders.ts';
import { type Pace, paceLines, paceOf, type Part } from './per-second.ts';

const [FULL_TIMERS, SHORT_TIMERS] = [1_600, 64];
/** One of eight acquirers, so that each of its shards holds many due timers. */
const SHARE = { acquirer: 0, of: 8 };
const DUE_IN_MS = 60_000;

/** Timers a second that the acquirer moves against a bare loop of transactions with the same parallelism. */
export async function measureAcquirer(plan: BenchPlan, emulated: Emulated, part: Part): Promise<readonly Measurement[]> {
  const count = plan.short ? SHORT_TIMERS : FULL_TIMERS;
  const [mine, theirs] = [await emulated.place(), await emulated.place()];
  const acquirer = createAcquirer({ environment: mine.environment });
  const { parallelShards, parallelTransactions, timerPageSize: pageSize, horizonMs } = resolveSettings();
  const shards = shardsOf(SHARE.of, SHARE.acquirer);
  const terms = { shards, parallelShards, parallelTransactions, pageSize, horizonMs };
  const side = (place: Place, move: () => Promise<number>) => async (): Promise<Pace> => {
    const due = Date.now() + DUE_IN_MS;
    const timers = orders(count).map((one, n) => bareTimer(one, due, shards[n % shards.length] ?? ''));
    await putItems(emulated.bare, place.names.timers, timers);
    const pace = await paceOf(count, async () => {
      const moved = await move();
      if (moved !== count) throw new Error(`${moved} of ${count} timers were moved.`);
    });
    await emulated.purge(place);
    return pace;
  };
  const rounds = await interleave(
    plan,
    {
      ours: side(mine, async () => (await acquirer(SHARE, invocation())).fired),
      bare: side(theirs, async () => acquireBare(emulated.bare, theirs, terms)),
    },
    { ...part, label: 'acquirer' },
  );
  const what = `acquirer, ${count.toLocaleString('en-US')} timers in ${shards.length} shards`;
  const baselineName = 'Query, TransactWriteItems and SendMessageBatch in a loop';
  return paceLines({ id: 'throughput.acquirer', what, item: 'timer', baselineName }, rounds);
}
