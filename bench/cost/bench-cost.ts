import { JOB_COUNTS } from '../../cli/cost/unit-counts.ts';
import type { Bench } from '../frame/bench.ts';
import { measured, type Named } from '../frame/measurement.ts';
import { type CostFigures, measureCost } from './measure-cost.ts';

const FULL_JOBS = 200;
const SHORT_JOBS = 50;

type Count = keyof typeof JOB_COUNTS;
const FIGURES: readonly (readonly [name: keyof CostFigures, what: string, unit: string, most?: Count])[] = [
  ['plain', 'plain job', 'writes'],
  ['plainWithHistory', 'plain job with history', 'writes'],
  ['plainInBatches', 'plain job in batches', 'writes', 'plain'],
  ['historyInBatches', 'plain job with history in batches', 'writes', 'plainWithHistory'],
  ['shortTimer', 'due within 15 minutes', 'writes'],
  ['farTimer', 'far timer', 'writes'],
  ['failedAttempt', 'each failed attempt', 'writes'],
  ['sqsRequestsPerJob', 'SQS, in batches of ten', 'requests'],
];

const named = ([name, what, unit, most = name as Count]: (typeof FIGURES)[number]): Named => ({
  id: `cost.${name}`,
  what: `${what}, per job`,
  unit,
  target: { at: 'most', value: JOB_COUNTS[most] },
});

/** Writes and requests of a job, as counted by the stores. Run once, because a count has no spread. */
export const benchCost: Bench = {
  name: 'cost',
  what: 'writes and SQS requests per job, from the consumption that the stores report',
  counts: true,
  figures: FIGURES.map(([name]) => `cost.${name}`),
  awaited: FIGURES.filter(([name]) => name.endsWith('InBatches')).map(named),
  async run({ jobs, short, progress }) {
    const count = jobs ?? (short ? SHORT_JOBS : FULL_JOBS);
    const figures = await measureCost(count, progress);
    const measurements = FIGURES.map((figure) => measured(named(figure), [figures[figure[0]]]));
    return {
      measurements,
      details: figures,
      notes: [
        `Counted over ${count} jobs of each kind.`,
        'Figures "in batches" come from DynamoDB Local, which does not report what a statement consumed: each counts as one write, which is what AWS takes for a row of less than 1 KB.',
      ],
    };
  },
};
