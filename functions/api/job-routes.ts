import { filterOfParams } from '../../operate/jobs/filter-params.ts';
import type { JobFilter } from '../../operate/jobs/job-filter.ts';
import { enqueue } from '../../shared/client/enqueue.ts';
import { enqueueMany } from '../../shared/client/enqueue-many.ts';
import { defined } from '../../shared/job/defined.ts';
import { Described, InvalidInputError, NightcrewError } from '../../shared/job/errors.ts';
import { json, list, optional, type ValuesOf } from './fields.ts';
import { JOB_SCHEMA, jobAnswer } from './job-answer.ts';
import { ID, KEY, optionsOf, SHARED_OPTIONS, TYPE_FIELDS, typeOf } from './job-fields.ts';
import { ProblemError } from './problems.ts';
import { type ApiDeps, post, type Route, type RouteAnswer } from './route.ts';

/** One request has a minute; each of these may be a transaction. */
const MAX_JOBS = 1_000;
/** A page must fit into the 6 MB that Lambda answers. */
const MAX_LISTED = 200;

const ENQUEUE_FIELDS = {
  ...TYPE_FIELDS,
  ...SHARED_OPTIONS,
  payload: optional(json('The payload of one job: a JSON value of at most 256 KB, 64 levels and 10,000 entries.')),
  key: optional(KEY),
  id: optional(ID),
  payloads: optional(list('The payloads of up to 1,000 jobs with the same options. Instead of `payload`.', json('A payload.'), MAX_JOBS)),
  keys: optional(list('A key for each of `payloads`.', KEY, MAX_JOBS)),
  ids: optional(list('An id for each of `payloads`.', ID, MAX_JOBS)),
} as const;

type NewJobs = ValuesOf<typeof ENQUEUE_FIELDS>;

/** What can be asked of lists and counts; repeated, a field means any of its values. */
const FILTER = {
  state: 'State; default: all but `finished`, or `finished` with `outcome`.',
  type: 'Job type.',
  worker: 'Worker.',
  tenant: 'Tenant.',
  group: 'Group.',
  correlationId: 'Correlation id.',
  batch: 'Batch.',
  errorName: 'Name of the last error.',
  outcome: 'Outcome of a finished job.',
  priority: 'A number, or a range such as `5..9`.',
  failures: 'A number, or a range.',
  hasError: '`true` or `false`.',
  from: 'Earliest time that the state is about (due, parked, suspended, failed, finished), inclusive: an instant, or how long ago, such as `2h`.',
  to: 'The end of that time, exclusive.',
} as const;

const PAGE = {
  limit: `Jobs of a page, 1 to ${MAX_LISTED}. Default 50.`,
  after: 'The `next` of the page before.',
} as const;

async function enqueueOne({ client }: ApiDeps, body: NewJobs): Promise<RouteAnswer> {
  for (const field of ['keys', 'ids'] as const) {
    if (body[field] !== undefined) throw new InvalidInputError(field, new Described('a list'), 'Give it with payloads, for several jobs.');
  }
  const made = await enqueue(client, typeOf(body), body.payload, optionsOf(body));
  return { status: made.duplicate ? 200 : 201, body: made };
}

async function enqueueSeveral({ client }: ApiDeps, body: NewJobs, payloads: readonly unknown[]): Promise<RouteAnswer> {
  for (const field of ['key', 'id'] as const) {
    if (body[field] !== undefined) throw new InvalidInputError(field, body[field], `Give ${field}s, one for each of payloads.`);
  }
  for (const field of ['keys', 'ids'] as const) {
    const count = body[field]?.length ?? payloads.length;
    if (count !== payloads.length) throw new InvalidInputError(field, count, `Give one for each of the ${payloads.length} payloads.`);
  }
  const { keys, ids } = body;
  const callbacks = {
    ...(keys === undefined ? {} : { keyOf: (_payload: unknown, index: number) => keys[index] as string }),
    ...(ids === undefined ? {} : { idOf: (_payload: unknown, index: number) => ids[index] }),
  };
  const report = await enqueueMany(client, typeOf(body), payloads, { ...optionsOf(body), ...callbacks });
  const failed = report.failed.map(({ index, error }) => ({
    index,
    detail: error.message,
    retryable: error instanceof NightcrewError && error.retryable,
  }));
  return { status: 200, body: { ...report, ids: report.ids.map((id) => id ?? null), failed } };
}

/** The filter of a query. Throws InvalidInputError for a name that is not known. */
function filterOf({ client }: ApiDeps, query: URLSearchParams, more: readonly string[] = []): JobFilter {
  const known = [...Object.keys(FILTER), ...more];
  for (const name of query.keys()) {
    if (!known.includes(name)) throw new InvalidInputError('query', name, `Known are: ${known.join(', ')}.`);
  }
  return filterOfParams(query, client.clock.now());
}

function limitOf(query: URLSearchParams): number {
  const given = query.get('limit') ?? '50';
  const limit = /^\d{1,4}$/.test(given) ? Number(given) : 0;
  if (limit >= 1 && limit <= MAX_LISTED) return limit;
  throw new InvalidInputError('limit', given, `Use a whole number from 1 to ${MAX_LISTED}.`);
}

const ENQUEUED = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    duplicate: { type: 'boolean', description: 'Its key or its own id exists already; `id` is that of the job that has it.' },
    replaced: { const: true, description: 'That job has the new payload and options instead.' },
  },
  required: ['id', 'duplicate'],
} as const;

const REPORT = {
  type: 'object',
  properties: {
    enqueued: { type: 'integer' },
    duplicates: { type: 'integer' },
    ids: { type: 'array', items: { type: ['string', 'null'] }, description: 'By index of the payload; null where the job failed.' },
    failed: {
      type: 'array',
      items: {
        type: 'object',
        properties: { index: { type: 'integer' }, detail: { type: 'string' }, retryable: { type: 'boolean' } },
      },
    },
  },
} as const;

const COUNTS = {
  type: 'object',
  description: 'A number for each state.',
  properties: {
    total: { type: 'integer' },
    complete: { type: 'boolean', description: 'False: the read units ended before the tables.' },
    readUnits: { type: 'number' },
  },
  additionalProperties: { type: 'integer' },
} as const;

/** Enqueues and shows jobs. */
export const JOB_ROUTES: readonly Route[] = [
  post({
    path: '/jobs',
    operationId: 'enqueue',
    summary: 'Enqueue one job, or several of one type',
    description:
      'Give `payload`, or `payloads` for several. After 503 it may or may not be stored: to repeat the request without a duplicate, give an `id` in the first one too. A `key` prevents one while it is held.',
    fields: ENQUEUE_FIELDS,
    answers: {
      201: { description: 'One job was stored, or the job that holds its key has the new payload and options.', schema: ENQUEUED },
      200: {
        description: 'A job with its key or id existed already; or the report of several jobs.',
        schema: { oneOf: [ENQUEUED, REPORT] },
      },
    },
    problems: ['invalid-input', 'id-in-use', 'too-large', 'not-json', 'unavailable'],
    async run(api, body) {
      const { payload, payloads } = body;
      if ((payload === undefined) === (payloads === undefined)) {
        throw new InvalidInputError(
          'payload',
          new Described(payload === undefined ? 'nothing' : 'payload and payloads'),
          'Give one of payload and payloads.',
        );
      }
      return payloads === undefined ? enqueueOne(api, body) : enqueueSeveral(api, body, payloads);
    },
  }),
  {
    method: 'GET',
    path: '/jobs',
    operationId: 'listJobs',
    summary: 'List jobs that match a filter, a page at a time',
    description: 'A page may be empty and not the last: continue as long as there is a `next`.',
    query: { ...FILTER, ...PAGE },
    answers: {
      200: {
        description: 'A page.',
        schema: {
          type: 'object',
          properties: { jobs: { type: 'array', items: JOB_SCHEMA }, next: { type: 'string' } },
          required: ['jobs'],
        },
      },
    },
    problems: ['invalid-input', 'unavailable'],
    async run(api, { query }) {
      const after = query.get('after') ?? undefined;
      const options = { ...filterOf(api, query, Object.keys(PAGE)), limit: limitOf(query), ...defined({ after }) };
      const { jobs, next } = await api.reads.list(options);
      return { status: 200, body: { jobs: jobs.map(jobAnswer), ...defined({ next }) } };
    },
  },
  {
    method: 'GET',
    path: '/jobs/count',
    operationId: 'countJobs',
    summary: 'Count jobs that match a filter, by state',
    description: 'Stops after about 10,000 read units; `complete` says whether everything was counted.',
    query: FILTER,
    answers: { 200: { description: 'A number for each state.', schema: COUNTS } },
    problems: ['invalid-input', 'unavailable'],
    run: async (api, { query }) => ({ status: 200, body: await api.reads.count(filterOf(api, query)) }),
  },
  {
    method: 'GET',
    path: '/jobs/{id}',
    operationId: 'getJob',
    summary: 'Show one job in any state, with its payload (of a finished one, if History keeps it)',
    answers: { 200: { description: 'The job.', schema: JOB_SCHEMA } },
    problems: ['invalid-input', 'not-found', 'unavailable'],
    async run({ reads }, { id }) {
      const view = await reads.find(id);
      if (view !== undefined) return { status: 200, body: jobAnswer(view) };
      throw new ProblemError('not-found', { detail: 'There is no job with this id, or it finished longer ago than History keeps.' });
    },
  },
];
