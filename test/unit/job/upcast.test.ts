import { describe, expect, it } from 'vitest';
import { defineJob, UpcastThrewError } from '../../../shared/index.ts';
import { isNewer, liftedFields, liftPayload } from '../../../shared/job/upcast.ts';
import { anyPayload as payload } from '../../support/any-payload.ts';

const order = defineJob('order', {
  payload,
  version: 3,
  upcast: {
    1: ({ name }: { name: string }) => ({ names: [name] }),
    2: ({ names }: { names: string[] }) => ({ names, count: names.length }),
  },
});

const lift = (schemaVersion: number, json: string, type = order) => liftPayload(type, { payload: json, schemaVersion });

describe('the steps of a job type', () => {
  it('lift a payload from its version on, one after the other', () => {
    expect(order.schemaVersion).toBe(3);
    expect(lift(1, '{"name":"a"}')).toEqual({ names: ['a'], count: 1 });
    expect(lift(2, '{"names":["a","b"]}')).toEqual({ names: ['a', 'b'], count: 2 });
    expect(lift(3, '{"names":[],"count":7}')).toEqual({ names: [], count: 7 });
  });

  it('take version 0 for the first, and leave a newer payload as it is', () => {
    expect(lift(0, '{"name":"a"}')).toEqual({ names: ['a'], count: 1 });
    expect(lift(4, '{"later":true}')).toEqual({ later: true });
  });

  it.each([
    ['a missing step', { version: 3, upcast: { 1: () => 1 } }, /^upcast\.2: .*of version 2 into one of version 3\. .*let it throw/],
    ['no steps at all', { version: 2 }, /^upcast\.1: .*version 1 into one of version 2/],
    ['a step that is no function', { version: 2, upcast: { 1: 'a' } }, /^upcast\.1: /],
    ['a step of the present version', { version: 2, upcast: { 1: () => 1, 2: () => 1 } }, /^upcast\.2: .*from 1 to 1/],
    ['a step of version 0', { version: 2, upcast: { 0: () => 1, 1: () => 1 } }, /^upcast\.0: /],
    ['a step between two versions', { version: 2, upcast: { 1: () => 1, 1.5: () => 1 } }, /^upcast\.1\.5: /],
    ['a version that is written in another way', { version: 20, upcast: { ...steps(20), '1e1': () => 1 } }, /^upcast\.1e1: /],
    ['steps of version 1', { upcast: { 1: (): number => 1 } }, /^upcast\.1: .*raise version/],
    ['steps in an array', { version: 2, upcast: [(): number => 1] }, /^upcast: .*an object with a function/],
    ['steps that are null', { version: 2, upcast: null }, /^upcast: /],
    ['steps that are a function', { version: 2, upcast: () => 1 }, /^upcast: /],
    ['version 0', { version: 0 }, /^version: 0 .*from 1 to 1000/],
    ['a fraction', { version: 1.5 }, /^version: 1\.5 /],
    ['a text', { version: '2' }, /^version: "2" /],
    ['more versions than anybody writes', { version: 1_001, upcast: steps(1_001) }, /^version: 1001 /],
  ])('are refused with %s', (_, options, message) => {
    expect(() => defineJob('t', { payload, ...(options as object) })).toThrow(message);
  });

  it('may be a thousand less one', () => {
    expect(defineJob('t', { payload, version: 1_000, upcast: steps(1_000) }).upcasts).toHaveLength(999);
  });

  it('that throw name themselves, what they threw, and the type', () => {
    const broken = defineJob('broken', { payload, version: 2, upcast: { 1: ({ a }: { a: { b: string } }): string => a.b } });
    const later = defineJob('later', { payload, version: 3, upcast: { 1: () => 1, 2: (): number => raise(new Error('no')) } });
    const thrown = errorOf(() => lift(1, '{}', broken));
    expect(thrown).toBeInstanceOf(UpcastThrewError);
    expect(thrown).toMatchObject({ code: 'UPCAST_THREW', retryable: false, cause: expect.any(TypeError) });
    expect(thrown?.message).toMatch(/^upcast\.1: the step of job type "broken" from version 1 to 2 threw: Cannot read/);
    expect(() => lift(1, '{"name":"a"}', later)).toThrow(/^upcast\.2: .*from version 2 to 3 threw: no$/);
    const odd = defineJob('odd', { payload, version: 2, upcast: { 1: () => Promise.resolve({}) } });
    expect(() => lift(1, '{}', odd)).toThrow(/^upcast\.1: a promise.*must be synchronous/);
    const text = defineJob('text', { payload, version: 2, upcast: { 1: () => raise('no') } });
    expect(() => lift(1, '{}', text)).toThrow(/from version 1 to 2 threw$/);
    expect(new UpcastThrewError('long', 1, new Error('x'.repeat(501))).message).toMatch(/threw: x{500}$/);
  });

  it.each([
    ['nothing', () => undefined, /^payload: .*JSON can hold/],
    ['a bigint', () => ({ n: 1n }), /not valid|Reading it threw/],
    ['what could change a prototype', () => JSON.parse('{"__proto__":{"x":1}}') as unknown, /__proto__/],
    ['more than a job can hold', () => 'x'.repeat(300_000), /262144 bytes/],
  ])('are refused when they give %s, as an enqueue would be', (_, step, message) => {
    const type = defineJob('t', { payload, version: 2, upcast: { 1: step } });
    expect(() => lift(1, '{}', type)).toThrow(message);
  });

  it('give what JSON makes of it, as if it had been enqueued', () => {
    const dated = defineJob('t', { payload, version: 2, upcast: { 1: () => ({ at: new Date(0), gone: undefined }) } });
    expect(lift(1, '{}', dated)).toEqual({ at: '1970-01-01T00:00:00.000Z' });
  });
});

it("a payload of the code's own version is given as it is stored, whatever an enqueue would say of it today", () => {
  const long = JSON.stringify('x'.repeat(300_000));
  expect(lift(3, long)).toHaveLength(300_000);
});

it('only a payload of a later version is newer than the code', () => {
  expect([2, 3, 4].map((schemaVersion) => isNewer(order, { schemaVersion }))).toEqual([false, false, true]);
});

describe('a payload that is lifted for good', () => {
  it('is the row in the version of the code, and nothing for a row of that version or a newer one', () => {
    expect(liftedFields(order, { payload: '{"name":"a"}', schemaVersion: 1 })).toEqual({
      payload: '{"names":["a"],"count":1}',
      schemaVersion: 3,
    });
    expect(liftedFields(order, { payload: '{}', schemaVersion: 0 })).toBeDefined();
    expect(liftedFields(order, { payload: '{"names":[]}', schemaVersion: 2 })).toEqual({
      payload: '{"names":[],"count":0}',
      schemaVersion: 3,
    });
    expect(liftedFields(order, { payload: '{}', schemaVersion: 3 })).toEqual({});
    expect(liftedFields(order, { payload: '{}', schemaVersion: 4 })).toEqual({});
    const first = defineJob('first', { payload });
    expect(liftedFields(first, { payload: '{}', schemaVersion: 0 })).toEqual({});
  });
});

function steps(version: number): Record<number, () => number> {
  return Object.fromEntries(Array.from({ length: version - 1 }, (_, index) => [index + 1, () => 1]));
}

function errorOf(work: () => unknown): Error | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

function raise(thrown: unknown): never {
  throw thrown;
}
