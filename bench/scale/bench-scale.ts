import type { Bench } from '../frame/bench.ts';
import { measureScale } from './measure-scale.ts';
import { scaleTable } from './scale-table.ts';

/** The production code over models of DynamoDB, SQS and Lambda, in virtual time: one run a size, because the model has no noise. */
export const benchScale: Bench = {
  name: 'scale',
  what: 'the production code over models of DynamoDB, SQS and Lambda, each scenario at two sizes to see how its figures grow',
  async run({ share, scenarios, short, progress }) {
    const figures = await measureScale({
      share: share ?? (short ? 'hundredth' : 'tenth'),
      onRun: (name, size, done) => progress(done, `${name} at ${size.toLocaleString('en-US')}`),
      ...(scenarios.length === 0 ? {} : { only: scenarios }),
    });
    return { measurements: [], details: figures, table: scaleTable(figures) };
  },
};
