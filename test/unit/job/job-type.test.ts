import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { DefinitionThrewError, InvalidInputError } from '../../../shared/job/errors.ts';
import { defineJob, type JobTypeOptions } from '../../../shared/job/job-type.ts';
import { jobInfo } from '../../../shared/job/job-info.ts';
import { defineLimit } from '../../../shared/job/limit.ts';
import { parseRetryPolicy } from '../../../shared/job/retry-policy.ts';
import { validatePayload, validatePayloadNow } from '../../../shared/job/validate.ts';
import { NOON, sampleJob } from './sample-job.ts';

const payload = z.object({ invoiceId: z.string() });
const PAYLOAD = { invoiceId: 'i1' };
const boom = (): never => {
  throw new TypeError('boom');
};

describe('a job type', () => {
  test('has sensible defaults', () => {
    const type = defineJob('invoice.send', { payload });
    expect(type).toMatchObject({ name: 'invoice.send', worker: 'default', retry: undefined, timeoutMs: undefined, schemaVersion: 1 });
    expect(type.traits(PAYLOAD)).toEqual({});
  });

  test('takes limits, a history level, a policy by error and whether it passes its group on, and names none that it was not given', () => {
    const retryFor = (): undefined => undefined;
    const limits = [defineLimit('stripe', { concurrency: 2 })];
    const type = defineJob('invoice.send', { payload, history: 'full', retryFor, inheritGroup: false, limits });
    expect(type).toMatchObject({ history: 'full', retryFor, limits });
    expect(type.traits(PAYLOAD)).toEqual({ inheritGroup: false });
    for (const absent of ['history', 'retryFor']) expect(defineJob('a', { payload })).not.toHaveProperty(absent);
  });

  test.each([
    [{ history: 'all' }, /^history: "all" .*Use one of/],
    [{ retryFor: 'PT1M' }, /^retryFor: "PT1M" .*function/],
    [{ inheritGroup: 'yes' }, /^inheritGroup: "yes" .*true or false/],
    [{ payload: undefined }, /^payload: undefined .*Standard Schema/],
  ])('is refused with %j, which is named', (options, message) =>
    expect(() => defineJob('a', { payload, ...options } as never)).toThrow(message),
  );

  test('takes group, priority and retry as values', () => {
    const type = defineJob('invoice.send', { payload, group: 'g', priority: 7, retry: 'R5/PT5M', timeout: 'PT30S' });
    expect(type.traits(PAYLOAD)).toEqual({ group: 'g', priority: 7 });
    expect(type.retry).toEqual(parseRetryPolicy('R5/PT5M'));
    expect(type.timeoutMs).toBe(30_000);
  });

  test('takes group, priority and retry as functions of the payload', () => {
    const type = defineJob('invoice.send', {
      payload,
      group: (p) => p.invoiceId,
      priority: (p) => p.invoiceId.length,
      retry: () => 'R5/PT300S',
    });
    expect(type.traits(PAYLOAD)).toEqual({ group: 'i1', priority: 2, retry: 'R5/PT5M' });
    expect(type.retry).toBeUndefined();
  });

  test('has no group when its function gives none or an empty one', () => {
    expect(defineJob('a', { payload, group: () => undefined }).traits(PAYLOAD)).toEqual({});
    expect(defineJob('a', { payload, group: () => '' }).traits(PAYLOAD)).toEqual({});
  });

  test.each(['group', 'priority', 'retry'] as const)('whose %s throws gives a typed error with its cause', (field) => {
    const type = defineJob('invoice.send', { payload, [field]: boom });
    const refused = (): unknown => type.traits(PAYLOAD);
    expect(refused).toThrow(DefinitionThrewError);
    expect(refused).toThrow(new RegExp(`^${field}: the function that job type "invoice.send"`));
    expect(refused).toThrow(expect.objectContaining({ cause: expect.objectContaining({ message: 'boom' }) }));
  });

  test.each([
    ['group', () => 5],
    ['group', () => 'x'.repeat(257)],
    ['group', () => '__proto__'],
    ['priority', () => 1.5],
    ['retry', () => 'often'],
    ['retry', () => undefined],
  ])('whose %s gives a wrong value is refused, naming the field (%#)', (field, value) => {
    const type = defineJob('invoice.send', { payload, [field]: value });
    expect(() => type.traits(PAYLOAD)).toThrow(new RegExp(`^${field}`));
  });

  test.each([
    [{}, 'payload'],
    [{ payload: {} }, 'payload'],
    [{ payload: null }, 'payload'],
    [{ payload, worker: 'No' }, 'worker'],
    [{ payload, retry: 'often' }, 'retry'],
    [{ payload, retryOn: { Throttled: 'often' } }, 'retryOn.Throttled'],
    [{ payload, timeout: 'soon' }, 'timeout'],
    [{ payload, timeout: 0 }, 'timeout'],
    [{ payload, timeout: 'PT0S' }, 'timeout'],
    [{ payload, version: 0 }, 'version'],
    [{ payload, version: 1.5 }, 'version'],
  ])('that is defined wrongly is refused at once, naming the field (%#)', (options, field) => {
    const define = (): unknown => defineJob('a', options as unknown as JobTypeOptions<typeof payload>);
    expect(define).toThrow(InvalidInputError);
    expect(define).toThrow(new RegExp(`^${field.replace('.', '\\.')}: `));
  });

  test('is refused without options', () =>
    expect(() => defineJob('a', undefined as unknown as JobTypeOptions<typeof payload>)).toThrow(/^options: /));

  test('finds the policy of an error by its name, also one that every object has', () => {
    const type = defineJob('a', { payload, retryOn: { Throttled: 'R9/PT1M' } });
    expect(type.retryOn.get('Throttled')?.tries).toBe(9);
    expect(type.retryOn.get('constructor')).toBeUndefined();
  });

  test('is paired with its handler', () => {
    const type = defineJob('a', { payload });
    const handler = (): void => undefined;
    expect(type.handle(handler)).toEqual({ type, handler });
  });

  test('is refused a handler that is no function', () => {
    const type = defineJob('a', { payload });
    expect(() => type.handle(undefined as never)).toThrow(InvalidInputError);
    expect(() => type.handle(undefined as never)).toThrow(/^handler: /);
  });
});

describe('the validation of a payload', () => {
  const amount = z.object({ amount: z.coerce.number().positive() });
  const slow = { '~standard': { version: 1 as const, vendor: 'test', validate: async (value: unknown) => Promise.resolve({ value }) } };

  test('gives out what the schema makes of it', async () =>
    expect(await validatePayload(amount, 'a', { amount: '5', extra: 1 })).toEqual({ output: { amount: 5 } }));

  test('names the path of what is wrong, and never the value', async () => {
    const refused = validatePayload(amount, 'pay', { amount: -4111 });
    await expect(refused).rejects.toThrow(/^payload: the payload of "pay" is not valid\. Fix it: amount: /);
    await expect(refused).rejects.not.toThrow(/4111/);
  });

  test('names at most five faults', async () => {
    const many = z.object(Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`field${index}`, z.string()])));
    await expect(validatePayload(many, 'a', {})).rejects.toThrow(/field4/);
    await expect(validatePayload(many, 'a', {})).rejects.not.toThrow(/field5/);
  });

  test('by a schema that throws says that the definition did, at once and later, and keeps what was thrown', async () => {
    const thrown = new Error('no');
    const schema = (validate: () => never) => ({ '~standard': { version: 1 as const, vendor: 'test', validate } });
    const throwing = schema(() => {
      throw thrown;
    });
    const rejecting = schema((() => Promise.reject(thrown)) as () => never);
    for (const one of [throwing, rejecting]) {
      await expect(validatePayload(one, 'a', 1)).rejects.toMatchObject({ code: 'DEFINITION_THREW', cause: thrown });
    }
    expect(() => validatePayloadNow(throwing, 'a', 1)).toThrow(/^payload: .*"a"/);
  });

  test('does not wait for a payload that has a `then` of its own', async () => {
    // oxlint-disable-next-line unicorn/no-thenable -- what it is about
    const waiting = { then: () => undefined };
    const any = { '~standard': { version: 1 as const, vendor: 'test', validate: (value: unknown) => ({ value }) } };
    expect((await validatePayload(any, 'a', waiting)).output).toBe(waiting);
  });

  test('may take its time, except where an answer is needed at once', async () => {
    await expect(validatePayload(slow, 'a', 1)).resolves.toEqual({ output: 1 });
    expect(() => validatePayloadNow(slow, 'a', 1)).toThrow(/asynchronously.*enqueue\(\)/);
    expect(validatePayloadNow(amount, 'a', { amount: 1 })).toEqual({ amount: 1 });
  });
});

describe('what a handler sees of its job', () => {
  test('is its place in time, its counters and its scope, and never its lock', () => {
    const info = jobInfo(sampleJob({ starts: 3, failures: 1, group: 'g', tenant: 't', correlationId: 'c' }));
    expect(info).toEqual({
      id: sampleJob().id,
      type: 'invoice.send',
      attempt: 3,
      failures: 1,
      snoozes: 0,
      dueAt: new Date(NOON),
      createdAt: new Date(NOON),
      group: 'g',
      tenant: 't',
      correlationId: 'c',
      priority: 0,
      chainDepth: 0,
      continuations: 0,
      schemaVersion: 1,
    });
  });
});

test('a name that is none is refused before anything else', () => expect(() => defineJob('1x', { payload })).toThrow(/^type: "1x"/));

test('what is absent is absent, also where it is looked for by name', () => {
  expect(defineJob('a', { payload }).traits({ invoiceId: 'i' })).toStrictEqual({});
  expect(Object.keys(jobInfo(sampleJob())).toSorted()).toEqual([
    'attempt',
    'chainDepth',
    'continuations',
    'createdAt',
    'dueAt',
    'failures',
    'id',
    'priority',
    'schemaVersion',
    'snoozes',
    'type',
  ]);
});

describe('a fault that a schema names', () => {
  const refusing = (...issues: readonly { message: string; path?: readonly (PropertyKey | { key: PropertyKey })[] }[]) => ({
    '~standard': { version: 1 as const, vendor: 'test', validate: () => ({ issues }) },
  });
  test.each([
    [{ message: 'no' }, 'payload: no'],
    [{ message: 'no', path: ['lines', 0, 'sku'] }, 'lines.0.sku: no'],
    [{ message: 'no', path: [{ key: 'lines' }, { key: 1 }] }, 'lines.1: no'],
  ])('is told with its path (%#)', async (issue, told) =>
    expect(validatePayload(refusing(issue), 'a', {})).rejects.toThrow(`payload: the payload of "a" is not valid. Fix it: ${told}.`),
  );
  test('of a kind that takes time is told as the payload', () => {
    const slow = { '~standard': { version: 1 as const, vendor: 'test', validate: async (value: unknown) => ({ value }) } };
    expect(() => validatePayloadNow(slow, 'a', {})).toThrow(/^payload: the payload of "a" /);
  });
});

test('a handler sees from which trace, batch and schedule its job comes', () => {
  const origin = { traceparent: 'tp', tracestate: 'ts', batch: 'b', callbackOf: 'c', schedule: 's' };
  expect(jobInfo(sampleJob({ ...origin, nominalAt: NOON + 7, continuations: 2 }))).toMatchObject({
    ...origin,
    nominalAt: new Date(NOON + 7),
    continuations: 2,
  });
});
