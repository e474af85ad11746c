import fc from 'fast-check';
import { decodeEnvironment, encodeEnvironment, ENVIRONMENT } from '../../../../shared/config/environment.ts';
import { SETTINGS } from '../../../../shared/config/settings.ts';
import { TABLE_NAMES } from '../../../../shared/ports/table-spec.ts';
import { routeHint } from '../../../../shared/job/hint-route.ts';
import { receivedHints } from '../../../../shared/adapters/sqs/event.ts';
import { type FuzzTarget, fuzzTarget } from '../fuzz-target.ts';
import { settled } from '../typed-errors.ts';

const GOOD = encodeEnvironment({
  tables: Object.fromEntries(TABLE_NAMES.map((name) => [name, `table-${name}`])) as never,
  workers: { default: { lanes: { default: 'https://sqs/1/lane' }, fifo: 'https://sqs/1/lane.fifo' } },
  settings: { crashLimit: 4 },
  worker: 'default',
});
const NAMES = Object.values(ENVIRONMENT);

const key = () =>
  fc.oneof(
    fc.constantFrom(
      'default',
      'lanes',
      'timers',
      'from',
      'priority',
      'fifo',
      'deadLetterQueue',
      '__proto__',
      'constructor',
      ...TABLE_NAMES,
      ...Object.keys(SETTINGS),
    ),
    fc.string(),
  );
const near = (): fc.Arbitrary<string> => {
  const value = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.oneof(fc.jsonValue({ maxDepth: 0 }), fc.constantFrom(3, 60_000, 1e300, 'https://sqs/1/lane')),
      fc.array(fc.tuple(key(), tie('value')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
    ),
  })).value;
  return fc.oneof(
    value.map((one) => JSON.stringify(one)),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', '{', 'off', 'durable', 'type', '__proto__'),
  );
};

const event = () =>
  fc.oneof(
    fc.anything(),
    fc.record({
      Records: fc.array(
        fc.oneof(
          fc.anything(),
          fc.record({
            eventSourceARN: fc.oneof(fc.anything(), fc.constant('arn:aws:sqs:x:1:lane')),
            body: fc.anything(),
            attributes: fc.anything(),
          }),
        ),
        { maxLength: 3 },
      ),
    }),
  );

/** Any content of the deployment's variables, and any event of an executor: read, or refused by name. */
export const environment: FuzzTarget = fuzzTarget({
  name: 'environment',
  shortRuns: 300,
  longestMs: 500,
  input: () =>
    fc.record({
      changes: fc.array(fc.tuple(fc.constantFrom(...NAMES), fc.option(near(), { nil: undefined })), { maxLength: 2 }),
      event: event(),
    }),
  check({ changes, event }) {
    const env = { ...GOOD, ...Object.fromEntries(changes) };
    const decoded = settled(() => decodeEnvironment(env), ['MISSING_ENVIRONMENT', 'INVALID_CONFIGURATION']);
    if (!decoded.ok) {
      if (
        !NAMES.some((name) => decoded.error.message.includes(name)) &&
        !Object.keys(SETTINGS).some((name) => decoded.error.message.includes(name.replace(/Ms$/, '')))
      )
        throw new Error(`The refusal names no variable and no setting: ${decoded.error.message}`);
      return;
    }
    const { workers } = decoded.value;
    settled(() => receivedHints(event as never, workers), ['INVALID_INPUT', 'INVALID_CONFIGURATION']);
    for (const [worker, queues] of workers) {
      const hint = { id: 'x', n: 1, worker, delayMs: 0, alone: false, groupHash: 'g' };
      for (const lane of ['default', '__proto__', 'constructor']) {
        const route = routeHint({ ...hint, lane }, queues);
        const url = route === undefined ? 'none' : route.kind === 'fifo' ? queues.fifo : queues.lanes[route.lane];
        if (typeof url !== 'string') throw new Error(`A hint would go to ${String(url)}.`);
      }
    }
  },
});
