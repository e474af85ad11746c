import { defineJob } from '../../shared/job/job-type.ts';
import { anyPayload } from '../frame/any-payload.ts';
import { drain, type Load, pass, slowRig, type Turned } from './slow-rig.ts';

/** One setting: the measurement with it changed, and unchanged. */
export interface Lever {
  readonly id: string;
  readonly what: string;
  readonly unit: string;
  readonly baselineName: string;
  readonly turned: () => Promise<number>;
  readonly baseline: () => Promise<number>;
}

const HANDLER_MS = 20;
/** Small, so that a run ends within a table of a few thousand rows. */
const SWEEP_PAGE = 50;
const noop = defineJob('tuning.noop', { payload: anyPayload<{ n: number }>() });
const slow = defineJob('tuning.slow', { payload: anyPayload<{ n: number }>() });
const grouped = defineJob('tuning.grouped', { payload: anyPayload<{ n: number }>(), group: () => 'one' });
const spread = defineJob('tuning.spread', { payload: anyPayload<{ n: number }>(), group: ({ n }) => `group-${n}` });
const handlers = [
  noop.handle(() => undefined),
  slow.handle(() => pass(HANDLER_MS)),
  grouped.handle(() => undefined),
  spread.handle(() => undefined),
];

const payloads = (count: number) => Array.from({ length: count }, (_, n) => ({ n }));
const perSecond = (jobs: number, ms: number): number => (jobs * 1_000) / ms;

/** Every lever at a size; `jobs` is a multiple of ten. */
export function levers(jobs: number): readonly Lever[] {
  return [
    {
      id: 'enqueueMany',
      what: `${jobs} jobs enqueued by one enqueueMany`,
      unit: 'jobs/s',
      baselineName: 'one enqueue at a time',
      turned: () => enqueued(jobs, true),
      baseline: () => enqueued(jobs, false),
    },
    ...executorLevers(jobs),
    {
      id: 'acquirers',
      what: 'timers fired by four acquirers (acquirers: 4)',
      unit: 'timers/s',
      baselineName: 'one acquirer',
      turned: () => fired(jobs * 8, 4),
      baseline: () => fired(jobs * 8, 1),
    },
    {
      id: 'sweepReadUnits',
      what: 'sweeper runs for a full pass, one a minute, 40 read units each (sweepReadUnits)',
      unit: 'runs',
      baselineName: '10 read units',
      turned: () => runsOfAPass(jobs * 40, 40),
      baseline: () => runsOfAPass(jobs * 40, 10),
    },
  ];
}

function executorLevers(jobs: number): readonly Lever[] {
  const rate =
    (type: typeof noop, load: Load, turned: Omit<Turned, 'handlers'> = {}) =>
    async () => {
      const rig = slowRig({ handlers, ...turned });
      await rig.client.enqueueMany(type, payloads(jobs));
      return perSecond(jobs, await drain(rig, load));
    };
  const two = { executors: 2, batchSize: 10 };
  return [
    {
      id: 'batchSize',
      what: 'jobs run by two executors, batchSize 10',
      unit: 'jobs/s',
      baselineName: 'batchSize 1',
      turned: rate(noop, two),
      baseline: rate(noop, { executors: 2, batchSize: 1 }),
    },
    {
      id: 'maxConcurrency',
      what: `jobs of ${HANDLER_MS} ms run by ten executors (maxConcurrency 10)`,
      unit: 'jobs/s',
      baselineName: 'two executors',
      turned: rate(slow, { executors: 10, batchSize: 10 }),
      baseline: rate(slow, two),
    },
    {
      id: 'historyOff',
      what: "jobs run without history (history: 'off')",
      unit: 'jobs/s',
      baselineName: "history: 'outcome'",
      turned: rate(noop, two),
      baseline: rate(noop, two, { history: 'outcome' }),
    },
    {
      id: 'historyDurable',
      what: "jobs run with durable history (history: 'durable')",
      unit: 'jobs/s',
      baselineName: "history: 'outcome'",
      turned: rate(noop, two, { history: 'durable' }),
      baseline: rate(noop, two, { history: 'outcome' }),
    },
    {
      id: 'oneGroup',
      what: 'jobs of one exclusive group',
      unit: 'jobs/s',
      baselineName: 'no group',
      turned: rate(grouped, two),
      baseline: rate(noop, two),
    },
    {
      id: 'manyGroups',
      what: 'jobs, each in its own group',
      unit: 'jobs/s',
      baselineName: 'no group',
      turned: rate(spread, two),
      baseline: rate(noop, two),
    },
  ];
}

async function enqueued(jobs: number, together: boolean): Promise<number> {
  const { client } = slowRig({ handlers });
  const startedAt = performance.now();
  if (together) await client.enqueueMany(noop, payloads(jobs));
  else for (const payload of payloads(jobs)) await client.enqueue(noop, payload);
  return perSecond(jobs, performance.now() - startedAt);
}

/** Each acquirer is a sandbox of its own: they run one after the other here, and the longest of them is the time of all. */
async function fired(timers: number, acquirers: number): Promise<number> {
  const rig = slowRig({ handlers, settings: { acquirers } });
  await rig.client.enqueueMany(noop, payloads(timers), { delay: 'PT1H' });
  await rig.clock.advance(3_600_000);
  let [count, longestMs] = [0, 0];
  for (let acquirer = 0; acquirer < acquirers; acquirer++) {
    const startedAt = performance.now();
    count += (await rig.fire({ acquirer, of: acquirers })).fired;
    longestMs = Math.max(longestMs, performance.now() - startedAt);
  }
  if (count !== timers) throw new Error(`${count} of ${timers} timers were fired.`);
  return perSecond(timers, longestMs);
}

/** Counted, not timed: how many runs see the table once. */
async function runsOfAPass(jobs: number, sweepReadUnits: number): Promise<number> {
  const rig = slowRig({ handlers, settings: { sweepReadUnits, sweepPageSize: SWEEP_PAGE } });
  await rig.client.enqueueMany(noop, payloads(jobs));
  for (let run = 1; run <= 1_000; run++) if ((await rig.sweep()).seen !== undefined) return run;
  throw new Error('A thousand runs did not see the whole table.');
}
