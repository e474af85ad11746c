import type { Bench } from '../frame/bench.ts';
import { measured } from '../frame/measurement.ts';
import { COST_FIGURES, costFigure } from './cost-figures.ts';
import { measureCost } from './measure-cost.ts';

const FULL_JOBS = 200;
const SHORT_JOBS = 50;

/** Writes and requests of a job, as counted by the stores. Run once, because a count has no spread. */
export const benchCost: Bench = {
  name: 'cost',
  what: 'writes and SQS requests per job, from the consumption that the stores report',
  counts: true,
  figures: COST_FIGURES.map(([name]) => `cost.${name}`),
  async run({ jobs, short, progress }) {
    const count = jobs ?? (short ? SHORT_JOBS : FULL_JOBS);
    const figures = await measureCost(count, progress);
    const measurements = COST_FIGURES.map((figure) => measured(costFigure(figure), [figures[figure[0]]]));
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
