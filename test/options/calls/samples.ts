import { defineJob, defineSchedule } from '../../../shared/index.ts';
import { anyPayload } from '../../support/any-payload.ts';

/** Job types and option objects that many calls are given. */
export const work = defineJob('work', { payload: anyPayload });
export const SCHEDULE = { ...defineSchedule('s', { job: work, payload: {}, every: 'PT1H', dst: {} }) };

export const INTERVALS = { kind: 'intervals', tries: 2, intervalsMs: [1_000] };
export const EXPONENTIAL = { kind: 'exponential', tries: 3, baseMs: 1_000, factor: 2, maxMs: 5_000 };
export const KEY = { value: 'k', onConflict: 'debounce', debounce: { wait: 1_000 } };

/** Options of an enqueue, with every object in one of them. */
export const ENQUEUES = [{ group: { name: 'g' }, retry: EXPONENTIAL }, { retry: INTERVALS }, { key: KEY }];
export const FOLLOW_UPS = ENQUEUES.map((options) => ({ type: work, payload: {}, options }));
export const COMPLETIONS = [...FOLLOW_UPS.map((one) => ({ enqueue: [one] })), { cancel: [{ type: work, key: 'k' }] }];

/** What a handler or `onError` returns. */
export const VERDICTS = [
  { verdict: 'complete' },
  ...COMPLETIONS.map((options) => ({ verdict: 'complete', options })),
  { verdict: 'snooze', delayMs: 1_000 },
  { verdict: 'continue', state: '{}' },
  { verdict: 'fail', reason: 'no', retry: true },
];

const RANGES = { priority: { min: 1 }, failures: { min: 1 }, attempts: { min: 1 } };
const ALTERNATIVES = { or: [{ ...RANGES, tenant: { prefix: 'a' } }] };

/** Filters, with every object in one of them; that of one tenant names none. */
export const FILTERS = [{ ...RANGES, tenant: { prefix: 'a' } }, ALTERNATIVES];
export const TENANT_FILTERS = [RANGES, ALTERNATIVES];
