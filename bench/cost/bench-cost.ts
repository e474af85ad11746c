import { JOB_COUNTS } from '../../cli/cost/unit-counts.ts';
import type { Bench } from '../frame/bench.ts';
import { measured } from '../frame/measurement.ts';
import { type CostFigures, measureCost } from './measure-cost.ts';

const FULL_JOBS = 200;
const SHORT_JOBS = 50;

const FIGURES: readonly (readonly [name: keyof CostFigures, what: string, unit: string])[] = [
  ['plain', 'plain job', 'writes'],
  ['plainWithHistory', 'plain job with history', 'writes'],
  ['shortTimer', 'due within 15 minutes', 'writes'],
  ['farTimer', 'far timer', 'writes'],
  ['failedAttempt', 'each failed attempt', 'writes'],
  ['sqsRequestsPerJob', 'SQS, in batches of ten', 'requests'],
];

/** Writes and requests of a job, as counted by the stores. Run once, because a count has no spread. */
export const benchCost: Bench = {
  name: 'cost',
  what: 'writes and SQS requests per job, from the consumption that the stores report',
  counts: true,
  figures: FIGURES.map(([name]) => `cost.${name}`),
  async run({ jobs, short, progress }) {
    const count = jobs ?? (short ? SHORT_JOBS : FULL_JOBS);
    const figures = await measureCost(count, progress);
    const measurements = FIGURES.map(([name, what, unit]) =>
      measured({ id: `cost.${name}`, what: `${what}, per job`, unit, target: { at: 'most', value: JOB_COUNTS[name] } }, [figures[name]]),
    );
    return { measurements, details: figures, notes: [`Counted over ${count} jobs of each kind.`] };
  },
};
