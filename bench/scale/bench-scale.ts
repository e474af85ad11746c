import type { Bench } from '../frame/bench.ts';
import { measureScale } from './measure-scale.ts';
import { scaleMeasurements } from './scale-measurements.ts';
import { scaleTable } from './scale-table.ts';

const NOTES = [
  'One run a size: times are those of the model, its chance is seeded, so every run of the same code gives the same figures on every machine.',
  'The model knows: 1,000 write and 3,000 read units a second and key, tables that are warmed or new and double after half an hour, throttling and conflicts with the retries of the SDK and the adapter, latencies with a tail, batches and limits of SQS, fair queues, the ramp of an event source, cold starts.',
  'It does not know: splitting of a hot partition for heat, bursts beyond a second of capacity, lost replies, other tenants of the account, handlers that take processor time.',
  'A backlog explains a wait for an hour after its lease ran out, and is held against what one run of the sweeper sees: a pass of many runs finds a lost hint only then, and sends again whatever else it sees from then on.',
];

/** The production code over models of DynamoDB, SQS and Lambda, in virtual time: one run a size, because the model has no noise. */
export const benchScale: Bench = {
  name: 'scale',
  what: 'the production code over models of DynamoDB, SQS and Lambda, each scenario at two sizes to see how its figures grow',
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
