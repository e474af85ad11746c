import { defined } from '../../shared/job/defined.ts';
import type { EnqueueOptions } from '../../shared/job/enqueue-options.ts';
import type { AnyJobType } from '../../shared/job/job-type.ts';
import { typeElsewhere } from '../worker/external/every-type.ts';
import { duration, json, optional, text, type ValuesOf, wholeNumber } from './fields.ts';

const INSTANT = { type: ['string', 'number'], examples: ['2027-01-31T12:00:00Z'] } as const;
const MAX_VERSIONS = 1_000;

/** The type of a new job. Its definition is in another program, so its name says all there is. */
export const TYPE_FIELDS = {
  type: text('The job type: a letter, then letters, digits or `. _ : -`.', 128),
  worker: optional(text('The worker that the type belongs to. Default `default`.', 32)),
  schemaVersion: optional(wholeNumber("The version of the payload's shape. Default 1.", 1, MAX_VERSIONS)),
} as const;

/** A unique key, as a text or with terms of its own. */
export const KEY = json('Unique key within type and tenant, or an object with `value`, `for`, `onConflict` and `debounce`.', {
  type: ['string', 'object'],
});

/** The own id of a job. */
export const ID = text(
  'An id of your own: a lower-case UUIDv7 whose timestamp is the due time. Sent again with the same type and payload, it creates no second job while the first one or its entry in History is there.',
  36,
);

/** Options that the jobs of one request share. The client checks their values. */
export const SHARED_OPTIONS = {
  delay: optional(duration('How long from now until the job is due. Not together with `runAt`.')),
  runAt: optional(json('When the job is due.', INSTANT)),
  startWithin: optional(duration('How long after its due time it may start for the first time.')),
  startBy: optional(json('The last instant at which it may start for the first time.', INSTANT)),
  group: optional(json('Name of a group, whose jobs run one at a time, unless `exclusive` is false.', { type: ['string', 'object'] })),
  exclusive: optional(json('False: the group is only a label.', { type: 'boolean' })),
  tenant: optional(text('The tenant that the job belongs to.')),
  priority: optional(json('Higher is more urgent.', { type: 'integer' })),
  correlationId: optional(text('Ties jobs to one process of yours.')),
  traceparent: optional(text('The W3C trace context that the job belongs to.')),
  tracestate: optional(text('Passed on together with `traceparent`.', 512)),
  retry: optional(
    json('Retry policy of the job, such as `R5/PT5M`. Default: that of its type or worker where it runs, or 3 tries with backoff.', {
      type: ['string', 'object'],
    }),
  ),
} as const;

/** The type that a request names. Throws InvalidInputError. */
export function typeOf({ type, worker = 'default', schemaVersion = 1 }: ValuesOf<typeof TYPE_FIELDS>): AnyJobType {
  return typeElsewhere(type, worker, schemaVersion);
}

/** The options that a request gives, for a client that checks them. */
export function optionsOf(given: Readonly<Record<string, unknown>>): EnqueueOptions {
  const names = [...Object.keys(SHARED_OPTIONS), 'key', 'id'];
  return defined(Object.fromEntries(names.map((name) => [name, given[name]]))) as EnqueueOptions;
}
