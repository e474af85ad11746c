import type { Bench } from '../frame/bench.ts';
import { measureScale } from './measure-scale.ts';
import { scaleMeasurements } from './scale-measurements.ts';
import { scaleTable } from './scale-table.ts';

const NOTES = [
  'One run per size. Times are those of the model, and its randomness is seeded, so the same code gives the same figures.',
  'The model includes: 1,000 write and 3,000 read units per second and key; warm and new tables, which double after half an hour; throttling and conflicts, with the retries of the SDK and the adapter; latencies with a tail; batches and limits of SQS; fair queues; the ramp of an event source; cold starts.',
  'It leaves out: splitting of hot partitions, bursts beyond a second of capacity, lost replies, other users of the account, handlers that use CPU time.',
  'The backlog does not move. Where a pass over it takes many runs, its messages explain every wait, and a lost hint is found when the queue drains or after a day. In a queue that moves it is found earlier: decision 8 says when.',
];

/** The production code over models of DynamoDB, SQS and Lambda, in virtual time: one run a size, because the model has no noise. */
export const benchScale: Bench = {
  name: 'scale',
  what: 'the production code on models of DynamoDB, SQS and Lambda, each scenario at two sizes to see how its figures grow',
  async run({ share, scenarios, short, progress }) {
    const part = share ?? (short ? 'thousandth' : undefined);
    const figures = await measureScale({
      onRun: (name, size, done) => progress(done, `${name} at ${size.toLocaleString('en-US')}`),
      ...(part === undefined ? {} : { share: part }),
      ...(scenarios.length === 0 ? {} : { only: scenarios }),
    });
    return {
      measurements: scaleMeasurements(figures),
      notes: NOTES,
      details: figures,
      table: `${scaleTable(figures)}\n\n${NOTES.join('\n')}`,
    };
  },
};
