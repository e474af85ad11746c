import type { PriceName } from './prices.ts';
import { WRITE_UNITS } from './unit-counts.ts';

/** Optional features and events of jobs, and their extra cost over a plain job. */
export interface Extra {
  readonly writeUnits: number;
  /** Deliveries more: a message that is sent by itself, received and deleted with others. */
  readonly deliveries: number;
  /** The writes are of the job's own row, so that a larger job pays more of them. */
  readonly ofRow?: true;
  /** Its requests go to another queue, or cost more. */
  readonly requests?: Extract<PriceName, 'fifoRequest' | 'fairRequest'>;
  /** Each job does so once at most. */
  readonly once?: true;
  readonly doc: string;
}

const more = (name: keyof typeof WRITE_UNITS): number => WRITE_UNITS[name] - WRITE_UNITS['plain job'];

/** By the name that `--also` takes. */
export const EXTRAS: ReadonlyMap<string, Extra> = new Map<string, Extra>([
  ['failed-attempt', { writeUnits: more('one failed attempt'), deliveries: 1, ofRow: true, doc: 'an attempt that fails and is retried' }],
  ['snooze', { writeUnits: more('one snooze'), deliveries: 1, ofRow: true, doc: 'a handler that snoozes its job' }],
  [
    'continue',
    { writeUnits: more('one `continueWith`'), deliveries: 1, ofRow: true, doc: 'a handler that continues in another invocation' },
  ],
  [
    'dead-letter',
    {
      writeUnits: more('dead letter, of a known error'),
      deliveries: 0,
      ofRow: true,
      once: true,
      doc: 'a job that ends as a dead letter',
    },
  ],
  ['unique-key', { writeUnits: more('unique key'), deliveries: 0, once: true, doc: 'a job with a unique key' }],
  [
    'group',
    { writeUnits: more('exclusive group'), deliveries: 0, requests: 'fifoRequest', once: true, doc: 'a job of an exclusive group' },
  ],
  ['tenant', { writeUnits: 0, deliveries: 0, requests: 'fairRequest', once: true, doc: 'a job with a tenant' }],
  ['progress', { writeUnits: more('one report of progress'), deliveries: 0, ofRow: true, doc: 'a report of progress' }],
  ['result', { writeUnits: more('result'), deliveries: 0, once: true, doc: 'a job with a result' }],
  // Its own put, a plain job's, is part of the completion's transaction.
  [
    'follow-up',
    {
      writeUnits: more('completion with one follow-up, before that runs') - 1,
      deliveries: 0,
      once: true,
      doc: 'a job that another one enqueues when it completes',
    },
  ],
  [
    'concurrency-limit',
    { writeUnits: more('concurrency limit with room'), deliveries: 0, once: true, doc: 'a job under a concurrency limit with a free slot' },
  ],
  ['rate-limit', { writeUnits: more('rate limit with room'), deliveries: 0, once: true, doc: 'a job under a rate limit with a free slot' }],
  [
    'rate-limit-wait',
    { writeUnits: more('rate limit, one wait'), deliveries: 1, doc: 'a job that waits once for its turn under a rate limit' },
  ],
  ['batch-child', { writeUnits: more('child of a batch'), deliveries: 0, once: true, doc: 'a job of a batch' }],
  ['suspended', { writeUnits: more('suspended and resumed'), deliveries: 1, ofRow: true, doc: 'a job that is suspended and resumed' }],
]);
