import * as api from '@opentelemetry/api';
import {
  claimCheck,
  complete,
  createEventBridgeSink,
  defineCodec,
  defineJob,
  defineJobWith,
  defineLimit,
  defineSchedule,
  deploymentEnvironment,
  exponential,
  fail,
} from '../../../shared/index.ts';
import { openTelemetry } from '../../../shared/adapters/opentelemetry/index.ts';
import { s3Payloads } from '../../../shared/adapters/s3/index.ts';
import { createMemoryPayloads } from '../../../testing/index.ts';
import { anyPayload } from '../../support/any-payload.ts';
import { failWith, runWith } from './attempts.ts';
import { COMPLETIONS, EXPONENTIAL, INTERVALS, VERDICTS, work } from './samples.ts';
import type { OptionCalls } from '../stray-field.ts';

const payload = anyPayload;

/** Calls that define jobs, limits, schedules and codecs, and what handlers return. */
export const DEFINITION_CALLS: OptionCalls = {
  defineJob: {
    given: [
      { options: { payload, retry: EXPONENTIAL, retryOn: { Any: EXPONENTIAL }, group: { name: 'g' } } },
      { options: { payload, retry: () => EXPONENTIAL, group: () => ({ name: 'g' }), retryFor: () => EXPONENTIAL } },
      { options: { payload, retry: INTERVALS } },
    ],
    call: async ({ options }) => {
      const type = defineJob('other', options);
      type.traits({});
      await failWith(type);
    },
  },
  'JobType.handle': { given: VERDICTS.map((verdict) => ({ handler: () => verdict })), call: ({ handler }) => runWith(handler) },
  complete: { given: COMPLETIONS.map((options) => ({ options })), call: ({ options }) => runWith(() => complete(options)) },
  fail: { given: [{ options: {} }], call: ({ options }) => fail('no', options) },
  exponential: { given: [{ options: {} }], call: ({ options }) => exponential(options) },
  defineLimit: {
    given: [{ shape: { concurrency: 1 }, options: {} }, { shape: { rate: 1, per: 'PT1S' } }],
    call: ({ shape, options }) => defineLimit('l', shape, options),
  },
  defineSchedule: {
    given: [{ options: { job: work, payload: {}, every: 'PT1H', retry: EXPONENTIAL, dst: {} } }],
    call: ({ options }) => defineSchedule('s', options),
  },
  defineJobWith: { given: [{ defaults: {} }], call: ({ defaults }) => defineJobWith(defaults) },
  defineCodec: {
    given: [{ definition: { name: 'plain', encode: (text: string) => text, decode: (text: string) => text } }],
    call: ({ definition }) => defineCodec(definition),
  },
  claimCheck: { given: [{ options: { store: createMemoryPayloads() } }], call: ({ options }) => claimCheck(options) },
  deploymentEnvironment: {
    given: [{ options: { workers: { default: { lanes: { slow: {} } } }, settings: {}, metrics: { types: ['work'] }, events: {} } }],
    call: ({ options }) => deploymentEnvironment(options),
  },
  createEventBridgeSink: { given: [{ options: { bus: 'b' } }], call: ({ options }) => createEventBridgeSink(options) },
  openTelemetry: { given: [{ options: {} }], call: ({ options }) => openTelemetry(api, options) },
  s3Payloads: { given: [{ options: {} }], call: ({ options }) => s3Payloads(options) },
};
