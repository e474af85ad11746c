import { defineJob } from '../../shared/job/job-type.ts';
import { anyPayload } from '../frame/any-payload.ts';
import { startBenchRegion } from '../emulators/bench-region.ts';
import type { Bench, BenchPlan, BenchResult } from '../frame/bench.ts';
import { interleave, type Rounds, type Side } from '../frame/interleave.ts';
import { compared, type Measurement } from '../frame/measurement.ts';
import { quantile, spreadOf } from '../frame/spread.ts';
import { Arrivals } from './arrivals.ts';
import { startBareHop } from './bare-hop.ts';
import type { Hop } from './hop.ts';
import { oneByOne, steadily } from './pace.ts';
import { startRecordedHop } from './recorded-hop.ts';
import { medianSplit, type Split, splitOf, watchRequests } from './split.ts';

/** How many messages a side sends in a round. */
const FULL = { single: 100, steady: 100, everyMs: 30, split: 100 } as const;
const SHORT = { single: 5, steady: 10, everyMs: 20, split: 5 } as const;

type Work = typeof FULL | typeof SHORT;
type Figure = 'median' | 'p99' | 'singleMedian' | 'singleP99';
type SideName = 'ours' | 'bare' | 'recorded';

const FIGURES: readonly (readonly [figure: Figure, what: string])[] = [
  ['median', 'enqueue to start, median'],
  ['p99', 'enqueue to start, p99'],
  ['singleMedian', 'the same one by one, median'],
  ['singleP99', 'the same one by one, p99'],
];

/** Time from enqueue to the start of the handler, compared with an SQS hop alone and with a hand-written record, all through the same event-source loop. */
export const benchLatency: Bench = {
  name: 'latency',
  what: 'time from enqueue to the start of the handler, compared with a bare SQS hop and with a hand-written put, send and claim',
  figures: ['latency', 'latency.recorded'].flatMap((prefix) => FIGURES.map(([figure]) => `${prefix}.${figure}`)),
  async run(plan) {
    const arrivals = new Arrivals();
    const type = defineJob('bench.hop', { payload: anyPayload<{ n: number }>() });
    const { region, client, stop } = await startBenchRegion([type.handle(({ payload }) => arrivals.arrive(payload.n))], { tickMs: 0 });
    try {
      const [bare, recorded] = await Promise.all([startBareHop(region, arrivals), startRecordedHop(region, arrivals)]);
      try {
        const hops = { ours: { send: async (n: number) => client.enqueue(type, { n }) }, bare, recorded };
        return await measureHops(plan, hops, arrivals);
      } finally {
        await Promise.all([bare.stop(), recorded.stop()]);
      }
    } finally {
      await stop();
    }
  },
};

async function measureHops(plan: BenchPlan, hops: Readonly<Record<SideName, Hop>>, arrivals: Arrivals): Promise<BenchResult> {
  const work = plan.short ? SHORT : FULL;
  const side = (name: SideName): Side<Figure> => sideOf(hops[name], arrivals, work);
  const sides = { ours: side('ours'), bare: side('bare'), recorded: side('recorded') };
  const rounds = await interleave(plan, sides, { from: 0, to: 0.95, label: 'round' });
  plan.progress(0.95, 'where the time goes');
  const split = {
    bare: await splitHop(hops.bare, arrivals, work),
    recorded: await splitHop(hops.recorded, arrivals, work),
    ours: await splitHop(hops.ours, arrivals, work),
  };
  return {
    measurements: [
      ...against(rounds, { baseline: 'bare', prefix: 'latency', baselineName: 'bare SQS hop', targets: { median: 1.3, p99: 1.3 } }),
      ...against(rounds, {
        baseline: 'recorded',
        prefix: 'latency.recorded',
        baselineName: 'hand-written put, send, claim',
        targets: { median: 1.1, p99: 1.3 },
      }),
    ],
    details: { split },
    notes: [
      `Each round sends ${work.steady} messages at ${Math.round(1_000 / work.everyMs)} a second and ${work.single} one by one on each side.`,
      floorOf(split),
      recordCosts(rounds),
    ],
  };
}

function sideOf(hop: Hop, arrivals: Arrivals, { single, steady, everyMs }: Work): Side<Figure> {
  return async () => {
    const alone = await oneByOne(hop, arrivals, single);
    const rate = await steadily(hop, arrivals, { count: steady, everyMs });
    return { median: quantile(rate, 0.5), p99: quantile(rate, 0.99), singleMedian: quantile(alone, 0.5), singleP99: quantile(alone, 0.99) };
  };
}

interface Comparison {
  readonly baseline: Exclude<SideName, 'ours'>;
  readonly prefix: string;
  readonly baselineName: string;
  /** For the figures that the steady rate gives. */
  readonly targets: Readonly<Partial<Record<Figure, number>>>;
}

function against(rounds: Rounds<Figure, SideName>, { baseline, prefix, baselineName, targets }: Comparison): readonly Measurement[] {
  return FIGURES.map(([figure, what]) => {
    const most = targets[figure];
    const judged = most === undefined ? {} : { target: { at: 'most', value: most } as const };
    return compared(
      { id: `${prefix}.${figure}`, what, unit: 'ms', baselineName, ...judged },
      rounds.ours[figure],
      rounds[baseline][figure],
    );
  });
}

async function splitHop(hop: Hop, arrivals: Arrivals, { split: count }: Work): Promise<Split> {
  const requests = watchRequests();
  const splits: Split[] = [];
  try {
    await oneByOne(hop, arrivals, count, (from, to) => splits.push(splitOf(requests.between(from, to), from, to)));
  } finally {
    requests.stop();
  }
  return medianSplit(splits);
}

/** The part that our code cannot avoid: the put before the send, and the claim before the start. */
function floorOf({ bare, ours }: { readonly bare: Split; readonly ours: Split }): string {
  const [hop = 0, put = 0, claim = 0] = [bare['whole'], ours['put'], ours['claim']];
  return `One by one, the put (${put.toFixed(1)} ms) and the claim (${claim.toFixed(1)} ms) alone make a bare hop of ${hop.toFixed(1)} ms ${((hop + put + claim) / hop).toFixed(1)} times as long: a send follows its commit, and a handler its claim.`;
}

/** The cost of keeping a record by hand. */
function recordCosts({ recorded, bare }: Rounds<Figure, SideName>): string {
  const times = (figure: Figure): string =>
    spreadOf(recorded[figure].map((ms, round) => ms / (bare[figure][round] ?? Number.NaN))).median.toFixed(1);
  return `Put, send and claim by hand take ${times('median')} times a bare hop at the median and ${times('p99')} times at p99.`;
}
