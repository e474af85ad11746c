import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HintUnreadableError } from '../../../shared/job/errors.ts';
import { decodeHint, encodeHint, groupHash, hintFor } from '../../../shared/job/hint.ts';
import { routeHint } from '../../../shared/job/hint-route.ts';
import { NOON, readyJob, sampleJob } from './sample-job.ts';

const ID = sampleJob().id;

describe('a hint', () => {
  test('names the job and its dispatches, and carries no more', () => {
    expect(encodeHint(hintFor(readyJob({ dispatches: 4, tenant: 'acme', payload: '{"secret":1}' }), NOON), false)).toBe(
      `{"v":1,"id":"${ID}","n":4}`,
    );
  });

  test('survives being written and read, with group, forwarding and alone', () => {
    const hint = hintFor(readyJob({ group: 'order 17', lockOwner: 'queue/0/alone/token' }), NOON);
    expect(decodeHint(encodeHint(hint, true))).toEqual({ v: 1, id: ID, n: 1, g: groupHash('order 17'), fwd: 1, alone: 1 });
  });

  test('carries a priority that is not the usual one, and reads only a whole number as one', () => {
    const sent = (priority: number): unknown => JSON.parse(encodeHint(hintFor(readyJob({ priority }), NOON), false));
    expect(sent(0)).toStrictEqual({ v: 1, id: ID, n: 1 });
    expect(sent(-5)).toStrictEqual({ v: 1, id: ID, n: 1, p: -5 });
    expect(encodeHint({ ...hintFor(readyJob(), NOON), priority: 0 }, false)).toBe(`{"v":1,"id":"${ID}","n":1}`);
    const read = (p: unknown): unknown => decodeHint(JSON.stringify({ v: 1, id: ID, n: 1, p })).p;
    expect([7, -7, 0, 1.5, '7', null].map(read)).toEqual([7, -7, undefined, undefined, undefined, undefined]);
    expect(decodeHint(`{"v":1,"id":"${ID}","n":1,"p":0}`)).toStrictEqual({ v: 1, id: ID, n: 1 });
  });

  test('of a job whose group is only a label names no group', () => {
    expect(hintFor(readyJob({ group: 'g', exclusive: false }), NOON)).not.toHaveProperty('groupHash');
    expect(hintFor(readyJob({ group: 'g', exclusive: true }), NOON).groupHash).toBe(groupHash('g'));
    expect(hintFor(readyJob(), NOON)).not.toHaveProperty('priority');
    expect(hintFor(readyJob({ priority: 3 }), NOON).priority).toBe(3);
  });

  test('is delayed until its job is due, and not at all when that has passed', () => {
    expect(hintFor(readyJob({ dueAt: NOON + 5_000 }), NOON).delayMs).toBe(5_000);
    expect(hintFor(readyJob({ dueAt: NOON - 5_000 }), NOON).delayMs).toBe(0);
  });

  test('knows group and tenant by a hash that SQS takes, whatever they hold', () => {
    const hint = hintFor(readyJob({ group: '😀'.repeat(128), tenant: 'Straße' }), NOON);
    expect(hint.groupHash).toMatch(/^[\w-]{43}$/);
    expect(hint.tenantHash).toMatch(/^[\w-]{43}$/);
    expect(hint.groupHash).not.toBe(groupHash('😀'.repeat(127)));
  });

  test('of a newer sender is understood: unknown fields are ignored', () => {
    expect(decodeHint(`{"v":1,"id":"${ID}","n":0,"colour":"red","alone":true}`)).toEqual({ v: 1, id: ID, n: 0 });
  });

  test.each([
    '',
    'null',
    '[]',
    '7',
    '"text"',
    '{',
    '{}',
    `{"v":2,"id":"${ID}","n":1}`,
    `{"v":1,"id":"${ID}"}`,
    `{"v":1,"id":"${ID}","n":-1}`,
    `{"v":1,"id":"${ID}","n":1.5}`,
    `{"v":1,"id":"${ID}","n":"1"}`,
    '{"v":1,"id":"x","n":1}',
    '{"v":1,"id":["x"],"n":1}',
    `{"v":1,"id":"${ID}","n":1,"g":"short"}`,
    `{"v":1,"id":"${ID}","n":1,"g":{}}`,
    '{"v":{"toString":1,"valueOf":1},"id":1,"n":1}',
    `{"v":1,"id":{"toString":null},"n":1}`,
    `{"v":1,"id":"${ID}","n":{"toString":1}}`,
  ])('that reads %j is unreadable', (text) => expect(() => decodeHint(text)).toThrow(HintUnreadableError));

  test('nested deep enough to overflow a stack is unreadable', () => {
    const deep = '['.repeat(50_000) + ']'.repeat(50_000);
    expect(() => decodeHint(`{"v":${deep}}`)).toThrow(HintUnreadableError);
  });

  test('is read or unreadable, whatever the message, and nothing else is ever thrown', () => {
    const anything = fc.anything({ withNullPrototype: true });
    const fields = fc.record(
      { v: fc.oneof(fc.constant(1), anything), id: fc.oneof(fc.constant(ID), anything), n: anything, g: anything, fwd: anything },
      { requiredKeys: [] },
    );
    const bodies = fields.map((body) => JSON.stringify(body, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)));
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), bodies), (text) => {
        try {
          const hint = decodeHint(text);
          expect(hint.id).toBe(ID);
        } catch (error) {
          expect(error).toBeInstanceOf(HintUnreadableError);
          expect((error as Error).message.length).toBeLessThan(200);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('the route of a hint', () => {
  const queues = { lanes: { default: 'url' }, fifo: 'url' };
  const hint = (overrides: object = {}): ReturnType<typeof hintFor> => ({ ...hintFor(readyJob(), NOON), ...overrides });

  test('is the standard queue of its lane', () =>
    expect(routeHint(hint(), queues)).toEqual({ kind: 'standard', lane: 'default', delaySeconds: 0, forward: false }));
  test('is FIFO for a grouped job that is due', () => expect(routeHint(hint({ groupHash: 'g' }), queues)?.kind).toBe('fifo'));
  test('waits on the standard queue, to be forwarded, when a grouped job is not due', () => {
    expect(routeHint(hint({ groupHash: 'g', delayMs: 1 }), queues)).toEqual({
      kind: 'standard',
      lane: 'default',
      delaySeconds: 1,
      forward: true,
    });
  });
  test('never delays longer than SQS can, nor shorter than the job', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_000 }), (delayMs) => {
        const seconds = routeHint(hint({ delayMs }), queues)?.delaySeconds ?? -1;
        expect(seconds).toBe(Math.min(900, Math.ceil(delayMs / 1000)));
      }),
    );
  });
  test.each(['lane-that-is-gone', '__proto__', 'toString'])(
    'falls to the lane of its priority when there is no lane %s any more',
    (lane) => {
      const lanes = { lanes: { urgent: 'url', default: 'url' }, from: { urgent: 10 } };
      expect(routeHint(hint({ lane, priority: 10 }), lanes)?.lane).toBe('urgent');
      expect(routeHint(hint({ lane, priority: 9 }), lanes)?.lane).toBe('default');
      expect(routeHint(hint({ lane }), lanes)?.lane).toBe('default');
      expect(routeHint(hint({ lane }), { lanes: {} })).toBeUndefined();
    },
  );
  test('is none for a worker that is gone', () => expect(routeHint(hint(), undefined)).toBeUndefined());
});

describe('a message body that cannot be read', () => {
  test.each([
    ['{', /^message: body is not JSON: "\{"$/],
    ['7', /^message: body is not an object$/],
    ['"text"', /^message: body is not an object$/],
    [`{"v":1,"id":"${ID}","n":1,"g":["${'x'.repeat(43)}"]}`, /^message: g: /],
    [`{"v":1,"id":"${ID}","n":1,"g":"${'x'.repeat(44)}"}`, /^message: g: /],
  ])('(%j) says why', (text, message) => expect(() => decodeHint(text)).toThrow(message));

  test('has nothing but what was understood', () => {
    const plain = { v: 1, id: ID, n: 1 };
    expect(decodeHint(JSON.stringify({ ...plain, fwd: 5, alone: 5 }))).toStrictEqual(plain);
    expect(encodeHint(hintFor(readyJob(), NOON), true)).toBe(`{"v":1,"id":"${ID}","n":1,"fwd":1}`);
  });
});

describe('the route of a grouped hint', () => {
  const hint = { ...hintFor(readyJob({ group: 'g' }), NOON), delayMs: 0 };
  test('is the FIFO queue itself, with nothing to forward', () =>
    expect(routeHint(hint, { lanes: { default: 'url' }, fifo: 'url' })).toEqual({
      kind: 'fifo',
      lane: 'default',
      delaySeconds: 0,
      forward: false,
    }));
  test('is the standard queue where the worker has no other', () =>
    expect(routeHint(hint, { lanes: { default: 'url' } })).toEqual({ kind: 'standard', lane: 'default', delaySeconds: 0, forward: false }));
});
