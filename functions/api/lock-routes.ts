import { defined } from '../../shared/job/defined.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import type { CancelByKey, FollowUp } from '../../shared/job/job-type.ts';
import { presentName } from '../../shared/job/worker-names.ts';
import { EveryType, typeElsewhere } from '../worker/external/every-type.ts';
import type { EndAnswer, External, ExternalFailure, ExternalTask } from '../worker/external/external.ts';
import { externalOver } from '../worker/external/external-over.ts';
import { decodeTaskToken } from '../worker/external/task-token.ts';
import { queuesOf } from '../worker/queues-of.ts';
import { duration, type Field, json, list, optional, record, text, wholeNumber } from './fields.ts';
import { ID, KEY, optionsOf, SHARED_OPTIONS, TYPE_FIELDS, typeOf } from './job-fields.ts';
import { lostLock } from './lost-lock.ts';
import { type AnswerText, type ApiDeps, post, type Route, type RouteAnswer } from './route.ts';

/** Ten payloads of 256 KB, escaped as a text in Lambda's answer, are the most that its 6 MB hold. */
const MAX_FETCHED = 10;
const LONGEST_WAIT_MS = 20_000;
const MIN_LOCK_MS = 1_000;
const LONGEST_LOCK_MS = 24 * 3_600_000;
const USUAL_LOCK_MS = 60_000;
const MAX_FOLLOW_UPS = 90;
/** What a transaction has room for, as `completionExtras` counts. */
const MAX_CANCELS = 18;

const LOCK: Field<string> = {
  ...text('The `lock` of the job, as it was fetched.', 200),
  read(value, field) {
    decodeTaskToken(value, field);
    return String(value);
  },
};
const LOCK_MS = wholeNumber(
  'How long a job is locked, from now, in milliseconds, up to a day. Default 60,000.',
  MIN_LOCK_MS,
  LONGEST_LOCK_MS,
);
const DELAY = duration('How long until the retry. Default: as the `retry` of the job says, or else with backoff from 10 s.');

const FOLLOW_UP = record({
  ...TYPE_FIELDS,
  ...SHARED_OPTIONS,
  payload: json('The payload of the job.'),
  key: optional(KEY),
  id: optional(ID),
});
const FOLLOW_UPS = list(
  'Jobs that are created with the completion, or not at all; at most 90, fewer with keys, own ids or `cancel`. One whose key or own id is taken is left out. They inherit tenant and correlation id, unless they name their own.',
  FOLLOW_UP,
  MAX_FOLLOW_UPS,
);

const CANCELS = list(
  'Jobs that are cancelled with the completion, or not at all, by their unique keys; at most 18. One that runs is asked to stop; one that has ended is left out.',
  record({
    type: TYPE_FIELDS.type,
    key: text('The key that the job was enqueued with.'),
    tenant: optional(text('Its tenant, or an empty text for none. Default: that of the job that completes.', 256, 0)),
    reason: optional(text('Why. History keeps it with the job.')),
  }),
  MAX_CANCELS,
);

const LOCKED_JOB = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    lock: { type: 'string', description: 'Opaque. Required by every answer to this job.' },
    type: { type: 'string' },
    payload: { description: 'A text if there is a `codec`.' },
    codec: { type: 'string', description: 'What encoded the payload, if anything did; the caller decodes it.' },
    schemaVersion: { type: 'integer' },
    attempt: { type: 'integer', description: '1 the first time. With `id` it makes side effects idempotent.' },
    failures: { type: 'integer' },
    lockedUntil: { type: 'string', format: 'date-time' },
    priority: { type: 'integer' },
    group: { type: 'string' },
    tenant: { type: 'string' },
    correlationId: { type: 'string' },
    traceparent: { type: 'string', description: 'The W3C trace context of the producer, to continue the trace.' },
    tracestate: { type: 'string' },
  },
  required: ['id', 'lock', 'type', 'payload', 'attempt', 'lockedUntil'],
} as const;

const ended = (results: readonly EndAnswer['result'][], description: string): Readonly<Record<number, AnswerText>> => ({
  200: { description, schema: { type: 'object', properties: { result: { enum: [...results, 'cancelled'] } }, required: ['result'] } },
});

/** The problems of every answer to a locked job. */
const LOCK_PROBLEMS = ['invalid-input', 'lock-lost', 'too-large', 'not-json', 'unavailable'] as const;

/** A session that hands out jobs of one worker. Throws InvalidInputError for a worker that is not outside Lambda. */
function fetching({ executor, source, workers, reporterOf }: ApiDeps, given: string, lanes: readonly string[] | undefined): External {
  const worker = presentName(executor.deployment.workers, given);
  if (!workers.includes(worker)) {
    const known = workers.length === 0 ? 'This deployment has none.' : `Those of this deployment: ${workers.join(', ')}.`;
    throw new InvalidInputError('worker', given, `Name a worker outside Lambda. ${known}`);
  }
  const deployment = { ...executor.deployment, worker };
  const deps = { ...executor, deployment, handlers: new EveryType(worker, []), reporter: reporterOf(worker) };
  return externalOver(deps, { source, queues: queuesOf(deployment, worker, lanes) });
}

/** A session for answers, whatever worker the job is of. */
function answering({ executor, source }: ApiDeps): External {
  return externalOver({ ...executor, handlers: new EveryType('default', []) }, { source, queues: [] });
}

/** Tells how a job ended, or what became of it if the lock does not hold it. */
async function endOf(api: ApiDeps, id: string, lock: string, answer: Promise<EndAnswer>): Promise<RouteAnswer> {
  const { result } = await answer;
  if (result === 'lost') throw await lostLock(api, id, lock);
  return { status: 200, body: { result } };
}

const fail = async (api: ApiDeps, id: string, lock: string, failure: ExternalFailure): Promise<RouteAnswer> =>
  endOf(api, id, lock, answering(api).fail(id, lock, failure));

function lockedJob({ token: lock, ...task }: ExternalTask): Readonly<Record<string, unknown>> {
  return { lock, ...task };
}

/** Hands out jobs under a lock, and takes the answers to them. */
export const LOCK_ROUTES: readonly Route[] = [
  post({
    path: '/fetch-and-lock',
    operationId: 'fetchAndLock',
    summary: 'Lock jobs of a worker; with `waitMs`, wait for one',
    description:
      'If the reply is lost, its jobs stay locked until `lockMs` is over. A job whose lock expired is returned alone, and another expiry counts as a crash.',
    fields: {
      worker: text('A worker outside Lambda.', 32),
      max: optional(wholeNumber('How many jobs at most, 1 to 10. Default 1.', 1, MAX_FETCHED)),
      lockMs: optional(LOCK_MS),
      waitMs: optional(wholeNumber('How long to wait for the first job, in milliseconds, up to 20,000. Default 0.', 0, LONGEST_WAIT_MS)),
      lanes: optional(list('Lanes to fetch from; `fifo` is the FIFO queue. Default: all, and that queue.', text('A lane.', 32), 10)),
    },
    answers: {
      200: {
        description: 'The jobs; an empty list if there were none.',
        schema: { type: 'object', properties: { jobs: { type: 'array', items: LOCKED_JOB } }, required: ['jobs'] },
      },
    },
    problems: ['invalid-input', 'too-large', 'not-json', 'unavailable'],
    async run(api, { worker, max = 1, lockMs = USUAL_LOCK_MS, waitMs = 0, lanes }) {
      const tasks = await fetching(api, worker, lanes).fetchAndLock(max, lockMs, { wait: waitMs });
      return { status: 200, body: { jobs: tasks.map(lockedJob) } };
    },
  }),
  post({
    path: '/jobs/{id}/extend',
    operationId: 'extendLock',
    summary: 'Extend the lock of a job; never shortens it',
    fields: { lock: LOCK, lockMs: optional(LOCK_MS) },
    answers: {
      200: {
        description: 'The lock was extended. If `cancelRequested` is true, stop: any answer then ends the job as cancelled.',
        schema: {
          type: 'object',
          properties: { lockedUntil: { type: 'string', format: 'date-time' }, cancelRequested: { type: 'boolean' } },
          required: ['lockedUntil', 'cancelRequested'],
        },
      },
    },
    problems: LOCK_PROBLEMS,
    async run(api, { lock, lockMs = USUAL_LOCK_MS }, id) {
      const answer = await answering(api).extendLock(id, lock, lockMs);
      if (answer.result === 'lost') throw await lostLock(api, id, lock);
      return { status: 200, body: { lockedUntil: answer.lockedUntil, cancelRequested: answer.result === 'cancel-asked' } };
    },
  }),
  post({
    path: '/jobs/{id}/complete',
    operationId: 'complete',
    summary: 'Complete a job, with a result, the jobs that follow it, and those that it cancels',
    fields: {
      lock: LOCK,
      result: optional(json('A JSON value of at most 32 KB, for `waitForResult` of the producer.')),
      keepResult: optional(duration('How long to keep the result. Default one day.')),
      enqueue: optional(FOLLOW_UPS),
      cancel: optional(CANCELS),
    },
    answers: ended(
      ['completed', 'dead'],
      'The job is finished, as completed or as cancelled; or a dead letter (`dead`), because the store refused its completion as invalid.',
    ),
    problems: LOCK_PROBLEMS,
    async run(api, { lock, result, keepResult, enqueue = [], cancel = [] }, id) {
      const followUps = enqueue.map((one): FollowUp => ({ type: typeOf(one), payload: one.payload, options: optionsOf(one) }));
      const cancels = cancel.map(({ type, ...one }): CancelByKey => ({ ...defined(one), type: typeElsewhere(type, 'default', 1) }));
      const options = defined({ result, keepResult });
      return endOf(api, id, lock, answering(api).complete(id, lock, { ...options, enqueue: followUps, cancel: cancels }));
    },
  }),
  post({
    path: '/jobs/{id}/failure',
    operationId: 'fail',
    summary: 'Report a failure: the job is tried again, or becomes a dead letter',
    fields: {
      lock: LOCK,
      message: text('What went wrong, in at most 8,192 characters. What looks like a secret is redacted; more than 2 KB is cut.', 8_192),
      name: optional(text('Name of the error, by which dead letters are found. Default `JobFailed`.', 128)),
      details: optional(text('Where it happened, such as a stack, in at most 16,384 characters; more than 4 KB is cut.', 16_384)),
      retries: optional(
        wholeNumber(
          'Tries that are left: 0 makes it a dead letter, more retries it whatever its policy says, and the job keeps them. Default: those kept from before, or the `retry` of the job, or 3 tries in all.',
          0,
          1_000_000,
        ),
      ),
      retryAfter: optional(DELAY),
    },
    answers: ended(['retried', 'dead'], 'The failure was recorded.'),
    problems: LOCK_PROBLEMS,
    run: async (api, { lock, retryAfter, message, ...failure }, id) =>
      fail(api, id, lock, { message, ...defined({ ...failure, delay: retryAfter }) }),
  }),
  post({
    path: '/jobs/{id}/error',
    operationId: 'businessError',
    summary: 'Report an error that no retry changes: the job becomes a dead letter at once',
    description: 'An error that you handle by another job is a completion: `complete` with `enqueue`.',
    fields: {
      lock: LOCK,
      code: text('A code of your own; the name of the error.', 128),
      message: optional(text('What it means. Default: the code.', 8_192)),
    },
    answers: ended(['dead'], 'The error was recorded.'),
    problems: LOCK_PROBLEMS,
    run: async (api, { lock, code, message = code }, id) => fail(api, id, lock, { name: code, message, retries: 0 }),
  }),
  post({
    path: '/jobs/{id}/unlock',
    operationId: 'unlock',
    summary: 'Give a job back; counts against no retry',
    fields: { lock: LOCK },
    answers: ended(['unlocked'], 'The job can be handed out again.'),
    problems: LOCK_PROBLEMS,
    run: async (api, { lock }, id) => endOf(api, id, lock, answering(api).unlock(id, lock)),
  }),
];
