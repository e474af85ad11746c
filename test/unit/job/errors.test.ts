import { describe, expect, test } from 'vitest';
import * as errors from '../../../shared/job/errors.ts';
import { outcomeUnknown } from '../../../shared/job/store-failures.ts';

const cause = new RangeError('cause');

// oxfmt-ignore
const FAMILY: readonly (readonly [errors.NightcrewError, string, string])[] = [
  [new errors.InvalidInputError('delay', 'x', 'Use more.'), 'INVALID_INPUT', 'delay: "x" is not valid. Use more.'],
  [new errors.PayloadTooLargeError(7, 5), 'PAYLOAD_TOO_LARGE', 'payload: 7 bytes of JSON are more than the limit of 5 bytes. Keep the data in a bucket: with claimCheck, or pass its key.'],
  [new errors.UpcastThrewError('a', 2, new Error('no')), 'UPCAST_THREW', 'upcast.2: the step of job type "a" from version 2 to 3 threw: no'],
  [new errors.DefinitionThrewError('group', 'a', cause), 'DEFINITION_THREW', 'group: the function that job type "a" gives for it threw. Fix the definition.'],
  [new errors.IdInUseError('i', 'dead'), 'ID_IN_USE', 'id: "i" belongs to a job that is dead. Use a fresh id, or redrive the dead letter.'],
  [new errors.KeyContestedError('k'), 'KEY_CONTESTED', 'key: "k" was taken and freed repeatedly, so no job was enqueued. Call again.'],
  [new errors.MissingEnvironmentError('V', 'connect'), 'MISSING_ENVIRONMENT', 'V is not set. Did you forget connect?'],
  [new errors.InvalidConfigurationError('no'), 'INVALID_CONFIGURATION', 'no'],
  [new errors.MissingPackageError(['a', 'b']), 'MISSING_PACKAGE', 'This needs a and b, which Nightcrew does not install. Run: npm install a b'],
  [new errors.RowUnreadableError('rev', 'x'), 'ROW_UNREADABLE', 'row: attribute rev holds "x", which cannot be read.'],
  [new errors.HintUnreadableError('no id'), 'HINT_UNREADABLE', 'message: no id'],
  [new errors.StoreUnavailableError('put', cause), 'STORE_UNAVAILABLE', 'put: the store did not answer in time or throttled.'],
  [new errors.StoreRefusedError('put', cause), 'STORE_REFUSED', 'put: the store refused the request (RangeError).'],
  [new errors.UnauditedError('redrive', 'redriven', cause), 'UNAUDITED', 'redrive: it is done, but its audit entry could not be written. Do not repeat it; write down who did it and why.'],
  [new errors.NonRetryableError('no', { cause }), 'NON_RETRYABLE', 'no'],
  [
    new errors.InvalidVerdictError(cause),
    'INVALID_VERDICT',
    'cause The job is not tried again, because its handler has run: correct what it returns before you redrive the job.',
  ],
  [new errors.RetryAfterError('busy', 5, { cause }), 'RETRY_AFTER', 'busy'],
  [new errors.JobTimedOutError(1_000.4), 'JOB_TIMED_OUT', 'The attempt passed its time limit of 1000 ms.'],
  [new errors.CrashLoopError(3), 'CRASH_LOOP', 'The process died 3 times while it ran this job alone.'],
  [new errors.ChainLimitError(6, 5), 'CHAIN_LIMIT', 'chainDepth: 6 is more than the limit of 5. A job probably enqueues itself without end.'],
  [new errors.JobCancelledError(), 'JOB_CANCELLED', 'The job was cancelled while it ran.'],
  [new errors.LeaseLostError(), 'LEASE_LOST', 'The lease of the job was lost, or could not be renewed before it ended.'],
  [
    new errors.WorkerStoppingError(),
    'WORKER_STOPPING',
    'The worker is stopping; the job goes back to its queue, which does not count against its retries.',
  ],
  [new errors.ItemsRefusedError(), 'ITEMS_REFUSED', 'transact: a condition of these items failed, so the completion was not written. The handler runs again.'],
  [
    new errors.BatchClosedError('b'),
    'BATCH_CLOSED',
    'batch: "b" takes no more jobs. Its builder adds them before seal(), and its own jobs while they run; for more make another batch.',
  ],
  [new errors.BatchUnknownError('b'), 'BATCH_UNKNOWN', 'batch: "b" does not exist, or finished more than 30 days ago. Check the id.'],
];

describe('the family of errors', () => {
  test.each(FAMILY)('%s has its code and says what is wrong', (error, code, message) => {
    expect(error).toBeInstanceOf(errors.NightcrewError);
    expect({ code: error.code, message: error.message, name: error.name }).toEqual({ code, message, name: error.constructor.name });
  });

  test('is closed: each member is of its own class and code', () => {
    const classes = Object.values(errors).filter((one) => typeof one === 'function' && one.prototype instanceof errors.NightcrewError);
    expect(new Set(FAMILY.map(([error]) => error.constructor))).toEqual(new Set(classes));
    expect(new Set(FAMILY.map(([, code]) => code)).size).toBe(FAMILY.length);
  });

  test('says may succeed later only of a store that did not answer and of a key that changed hands', () =>
    expect(FAMILY.filter(([error]) => error.retryable).map(([, code]) => code)).toEqual(['KEY_CONTESTED', 'STORE_UNAVAILABLE']));

  test('names an optional package that is missing, and hands on what else keeps it from being loaded', () => {
    const notFound = Object.assign(new Error("Cannot find package 'a' imported from x"), { code: 'ERR_MODULE_NOT_FOUND' });
    expect(errors.missingPackage(['a'], notFound)).toMatchObject({ install: 'npm install a', cause: notFound });
    expect(errors.missingPackage(['c'], notFound)).toBe(notFound);
    expect(errors.missingPackage(['b', 'a'], notFound)).toMatchObject({ install: 'npm install b a' });
  });

  test.each([
    new Error("a: it's broken"),
    new Error("'a' is broken"),
    Object.assign(new Error("'a' may not be read"), { code: 'EACCES' }),
    { code: 'ERR_MODULE_NOT_FOUND', message: "'a' is not an error" },
    "'a'",
    undefined,
  ])('hands on what is no missing package (%#)', (thrown) => expect(errors.missingPackage(['a'], thrown)).toBe(thrown));

  test('says of an outcome that is unknown that it is, and may be looked at again', () => {
    const unknown = outcomeUnknown('complete', cause);
    expect(unknown).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true, cause });
    expect(unknown.message).toMatch(/^complete: the outcome is unknown/);
  });

  test('keeps what it was caused by', () => {
    const caused = FAMILY.filter(([error]) => error.cause !== undefined).map(([, code]) => code);
    expect(caused).toEqual([
      'UPCAST_THREW',
      'DEFINITION_THREW',
      'STORE_UNAVAILABLE',
      'STORE_REFUSED',
      'UNAUDITED',
      'NON_RETRYABLE',
      'INVALID_VERDICT',
      'RETRY_AFTER',
    ]);
    expect(new errors.InvalidInputError('a', 1, 'b', { cause }).cause).toBe(cause);
    expect(new errors.StoreRefusedError('put', 'text').message).toBe('put: the store refused the request (unknown).');
  });

  test('carries what a program needs beside the message', () => {
    expect(new errors.InvalidInputError('a\nb', 1, 'c\nd')).toMatchObject({ field: 'a b', fix: 'c d' });
    expect(new errors.PayloadTooLargeError(7, 5)).toMatchObject({ bytes: 7, limit: 5 });
    expect(new errors.RetryAfterError('busy', 0).retryAfterMs).toBe(0);
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('has no delay of %d', (ms) =>
    expect(() => new errors.RetryAfterError('busy', ms)).toThrow(errors.InvalidInputError),
  );
});

describe('a chain of causes', () => {
  test('begins with the error itself and ends with what has no cause', () => {
    const inner = new Error('inner', { cause: 'text' });
    const outer = new Error('outer', { cause: inner });
    expect(errors.causeChain(outer)).toEqual([outer, inner, 'text']);
    expect([errors.causeChain(undefined), errors.causeChain(null), errors.causeChain('x')]).toEqual([[], [], ['x']]);
    expect(errors.causeChain({ cause: null })).toEqual([{ cause: null }]);
  });

  test('ends after 16 links', () => {
    const circle = new Error('x');
    circle.cause = circle;
    expect(errors.causeChain(circle)).toHaveLength(16);
  });

  test('ends where a getter throws', () => {
    const link = Object.defineProperty({}, 'cause', {
      get: () => {
        throw new Error('no');
      },
    });
    expect(errors.causeChain(new Error('x', { cause: link }))).toHaveLength(2);
  });
});

describe('a value in an error', () => {
  test.each([
    ['x'.repeat(78), 80],
    ['x'.repeat(79), 80],
    ['x'.repeat(500), 80],
  ])('is cut to 80 characters (%#)', (value, length) => {
    expect(errors.shown(value)).toHaveLength(length);
    expect(errors.shown(value).endsWith('...')).toBe(value.length > 78);
  });

  test('is never looked into', () => {
    expect([null, undefined, true, 1.5, 5n, [], {}, () => 1, new Date(0)].map(errors.shown)).toEqual([
      'null',
      'undefined',
      'true',
      '1.5',
      '5',
      'an array',
      'an object',
      'a function',
      'Date 0',
    ]);
  });
});

test('a cause belongs to an error: what a function calls so is its own affair', () => {
  const thrown = Object.assign(() => 1, { cause: new Error('x') });
  expect(errors.causeChain(thrown)).toEqual([thrown]);
});

test('the kind of a value tells nothing of what it holds', () => {
  const { proxy, revoke } = Proxy.revocable([], {});
  revoke();
  expect([undefined, null, 'x', 5, true, [1], { a: 1 }, () => 1, proxy].map((value) => errors.kindOf(value).text)).toEqual([
    'undefined',
    'null',
    'a string',
    'a number',
    'a boolean',
    'an array',
    'an object',
    'a function',
    'an object',
  ]);
});
