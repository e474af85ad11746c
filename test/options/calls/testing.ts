import {
  aimAt,
  createFaults,
  createMemoryHints,
  createMemoryPayloads,
  createMemoryTables,
  createTestKit,
  SettableClock,
} from '../../../testing/index.ts';
import { failWith } from './attempts.ts';
import { ENQUEUES, EXPONENTIAL, INTERVALS, VERDICTS, work } from './samples.ts';
import type { OptionCalls } from '../stray-field.ts';

const kit = createTestKit([work.handle(() => undefined)]);
const faults = createFaults();
const FAULT = [{ fault: { fault: 'slow' } }];

/** Calls of what tests import. */
export const TESTING_CALLS: OptionCalls = {
  createTestKit: {
    given: [
      { options: { settings: {}, workers: { other: { lanes: { slow: {} } } }, retry: EXPONENTIAL } },
      { options: { retry: INTERVALS } },
      ...ENQUEUES.map((more) => ({ options: { beforeCreate: [() => ({ type: 'work', payload: {}, ...more })] } })),
      { options: { retryFor: () => EXPONENTIAL } },
      ...VERDICTS.map((verdict) => ({ options: { onError: () => verdict } })),
    ],
    call: async ({ options }) => {
      await createTestKit([work], options).client.enqueue(work, {});
      await failWith(options);
    },
  },
  'TestKit.runJob': {
    given: [{ options: {} }],
    call: async ({ options }) => kit.runJob((await kit.client.enqueue(work, {})).id, options),
  },
  createMemoryHints: {
    given: [{ options: { clock: new SettableClock(), workers: new Map(), visibilityMs: 1 } }],
    call: ({ options }) => createMemoryHints(options),
  },
  createMemoryPayloads: { given: [{ options: {} }], call: ({ options }) => createMemoryPayloads(options) },
  createMemoryTables: { given: [{ options: {} }], call: ({ options }) => createMemoryTables(options) },
  createFaults: { given: [{ options: {} }], call: ({ options }) => createFaults(options) },
  'Faults.next': { given: FAULT, call: ({ fault }) => faults.next(aimAt('PutItem'), fault) },
  'Faults.rate': { given: FAULT, call: ({ fault }) => faults.rate(fault, 0.5) },
  'Faults.under': { given: [{ options: {} }], call: ({ options }) => faults.under({} as never, options) },
};
