import { describe, expect, it } from 'vitest';
import {
  deathOf,
  groupState,
  hasRecurred,
  isQuiet,
  isToBeSettled,
  openCount,
  settledUpTo,
} from '../../../../shared/features/error-groups/model/error-group.ts';
import { fingerprint, plainMessage, topFrame } from '../../../../shared/job/fingerprint.ts';
import { NOON } from '../../../unit/job/sample-job.ts';

const error = (message: string, stack?: string) => ({ name: 'GatewayError', message, at: 1, ...(stack === undefined ? {} : { stack }) });

describe('the fingerprint of a death', () => {
  it.each([
    ['order 1 is unknown', 'order 22 is unknown'],
    ['no user "anna"', 'no user "bert"'],
    ["key 'a' is taken", "key 'b' is taken"],
    ['job 019b7721-c9ea-708d-aaea-055d5d90b80e hangs', 'job 019b7714-5a58-7277-9dea-898e0df2e77e hangs'],
    ['at 0xdeadbeef', 'at 0xcafe'],
  ])('is the same for %j and %j', (a, b) => {
    expect(plainMessage(a)).toBe(plainMessage(b));
    expect(fingerprint('pay', error(a))).toBe(fingerprint('pay', error(b)));
  });

  it('is another one for another type, name, text or place', () => {
    const place = (file: string): string => `GatewayError: no\n    at send (${file}.ts:1:2)\n    at main (main.ts:3:4)`;
    const prints = [
      fingerprint('pay', error('no')),
      fingerprint('mail', error('no')),
      fingerprint('pay', { ...error('no'), name: 'Error' }),
      fingerprint('pay', error('never')),
      fingerprint('pay', error('no', place('a'))),
      fingerprint('pay', error('no', place('b'))),
    ];
    expect(new Set(prints).size).toBe(prints.length);
    expect(fingerprint('pay', error('no', place('a').replace('1:2', '8:9')))).toBe(prints[4]);
  });

  it('takes the topmost frame, without its line', () => {
    expect(topFrame({ stack: 'Error: no\n    at send (gateway.ts:12:3)\n    at main (main.ts:3:4)' })).toBe('send (gateway.ts');
    expect(topFrame({ stack: 'no frames' })).toBeUndefined();
    expect(topFrame({})).toBeUndefined();
  });
});

describe('the frame of a fingerprint', () => {
  it.each([
    ['send (/var/task/worker.mjs:1:2)', 'send (worker.mjs'],
    ['send (/srv/John Doe/app (old)/worker.mjs:1:2)', 'send (worker.mjs'],
    ['async send (file:///opt/app/worker.mjs:9:9)', 'async send (worker.mjs'],
    ['async file:///opt/app/worker.mjs:9:9', 'async worker.mjs'],
    ['/opt/app/worker.mjs:9:9', 'worker.mjs'],
    ['/worker.mjs:9:9', 'worker.mjs'],
    ['send (C:\\app\\worker.mjs:9:9)', 'send (worker.mjs'],
    ['get (/a/node_modules/.pnpm/x@1/node_modules/@scope/x/lib/get.js:1:2)', 'get (@scope/x/lib/get.js'],
    ['listOnTimeout (node:internal/timers:581:17)', 'listOnTimeout (node:internal/timers'],
    ['Object.<anonymous> (<anonymous>)', 'Object.<anonymous> (<anonymous>)'],
  ])('of %j names no folder of this deployment', (frame, shown) => {
    expect(topFrame({ stack: `Error: no\n    at ${frame}\n    at main (/x/main.ts:3:4)` })).toBe(shown);
  });

  it('is the topmost one of at most 300 characters', () => {
    const frames = (length: number): string => `Error: no\n    at ${'x'.repeat(length)}\n    at main (main.ts:3:4)`;
    expect(topFrame({ stack: frames(300) })).toHaveLength(300);
    expect(topFrame({ stack: frames(301) })).toBe('main (main.ts');
  });

  it('is the same for the same code in two folders', () => {
    const [one, other] = ['/var/task', `/home/${'deploy/'.repeat(60)}42`].map((folder) =>
      fingerprint('pay', error('no', `GatewayError: no\n    at send (${folder}/worker.mjs:1:2)`)),
    );
    expect(one).toBe(other);
  });
});

describe('a death', () => {
  it('is what its group shows of it', () => {
    const thrown = error('no', 'Error: no\n    at send (gateway.ts:12:3)');
    expect(deathOf('id', 'pay', thrown)).toEqual({
      fingerprint: fingerprint('pay', thrown),
      type: 'pay',
      errorName: 'GatewayError',
      message: 'no',
      frame: 'send (gateway.ts)',
      id: 'id',
      at: 1,
    });
    expect(deathOf('id', 'pay', error('no'))).not.toHaveProperty('frame');
  });

  it.each([
    ['/opt/app/worker.mjs:9:9', 'worker.mjs'],
    ['Object.<anonymous> (<anonymous>)', 'Object.<anonymous> (<anonymous>)'],
  ])('at %s shows %s, with no parenthesis that it did not have', (frame, shown) => {
    expect(deathOf('id', 'pay', error('no', `Error: no\n    at ${frame}`)).frame).toBe(shown);
  });
});

describe('what of a group is open', () => {
  it.each([
    [{ seen: 5, redriven: 0, deleted: 0, settled: 0, lastSeen: 0 }, 5],
    [{ seen: 5, redriven: 2, deleted: 3, settled: 0, lastSeen: 0 }, 0],
    [{ seen: 5, redriven: 2, deleted: 2, settled: 3, lastSeen: 0 }, 4],
    [{ seen: 5, redriven: 0, deleted: 0, settled: -4, lastSeen: 0 }, 1],
    [{ seen: 1, redriven: 4, deleted: 1, settled: 0, lastSeen: 0 }, 0],
    [{ seen: 0, redriven: 0, deleted: 0, settled: 0, lastSeen: 2 }, 0],
    // Somebody died of it after the last one that left, whatever was not told.
    [{ seen: 2, redriven: 9, deleted: 0, settled: 0, lastSeen: 2, leftAt: 1 }, 1],
    [{ seen: 2, redriven: 9, deleted: 0, settled: 0, lastSeen: 2, leftAt: 3 }, 0],
    [{ seen: 2, redriven: 9, deleted: 0, settled: 7, lastSeen: 2, leftAt: 1, settledAt: 3 }, 0],
  ])('of %j is %i', (counts, open) => {
    expect(openCount(counts)).toBe(open);
  });
});

describe('a group', () => {
  const MINUTE = 60_000;
  const stored = { ...deathOf('id', 'pay', error('no')), sample: 'id', firstSeen: 0, seen: 1, redriven: 0, deleted: 0, settled: 0 };

  it.each([
    ['somebody has just died of it', { lastSeen: 99.5 * MINUTE }, false],
    ['one has just left it', { lastSeen: 0, leftAt: 99.5 * MINUTE }, false],
    ['it was not counted since somebody died of it', { lastSeen: 90 * MINUTE, settledAt: 80 * MINUTE }, true],
    ['it was not counted since one left it', { lastSeen: 0, leftAt: 90 * MINUTE, settledAt: 80 * MINUTE }, true],
    ['it was counted since', { lastSeen: 90 * MINUTE, leftAt: 91 * MINUTE, settledAt: 92 * MINUTE }, false],
    ['it was counted the instant somebody died of it', { lastSeen: 90 * MINUTE, settledAt: 90 * MINUTE, settled: -1 }, false],
    ['somebody dies of it this instant', { lastSeen: 100 * MINUTE }, false],
    ['somebody died of it a minute ago', { lastSeen: 99 * MINUTE }, true],
    ['it is open and was counted an hour ago', { lastSeen: 0, settledAt: 40 * MINUTE }, true],
    ['it is closed and was counted an hour ago', { lastSeen: 0, settledAt: 40 * MINUTE, settled: -1 }, false],
    ['a clock that is ahead says when one left it', { lastSeen: 0, leftAt: 200 * MINUTE }, true],
  ])('of which %s is to be counted or not', (_, given, settled) => {
    expect(isToBeSettled({ ...stored, ...given }, 100 * MINUTE)).toBe(settled);
  });

  it('is quiet a minute after the last death', () =>
    expect([0, MINUTE - 1, MINUTE].map((later) => isQuiet({ lastSeen: NOON }, NOON + later))).toEqual([false, false, true]));

  it('is counted up to half a minute ago', () => expect(settledUpTo(NOON)).toBe(NOON - MINUTE / 2));
});

describe('the state of an error group', () => {
  const lastSeen = NOON;

  it.each([
    ['open', {}, 1],
    ['closed', {}, 0],
    ['closed', { ignoredUntil: NOON + 2, resolvedAt: NOON }, 0],
    ['ignored', { ignoredUntil: NOON + 2 }, 1],
    ['open', { ignoredUntil: NOON + 1 }, 1],
    ['ignored', { ignoredUntil: NOON + 2, resolvedAt: NOON }, 1],
    ['resolved', { resolvedAt: NOON }, 1],
    ['open', { resolvedAt: NOON - 1 }, 1],
  ] as const)('is %s for %j with %i open dead letters', (state, marks, open) => {
    expect(groupState({ lastSeen, ...marks }, open, NOON + 1)).toBe(state);
  });

  it('has come back when a job died after it was resolved', () => {
    expect([{}, { resolvedAt: NOON }, { resolvedAt: NOON - 1 }].map((marks) => hasRecurred({ lastSeen, ...marks }))).toEqual([
      false,
      false,
      true,
    ]);
  });
});
