import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explainJob } from '../../../operate/explain/explain-job.ts';
import type { Facts } from '../../../operate/explain/facts.ts';
import type { DeadReason, Job, JobState } from '../../../shared/job/job.ts';
import { NO_RULES } from '../../../shared/features/rules/model/rules.ts';
import type { Schedule } from '../../../shared/features/schedules/model/schedule.ts';
import { NOON } from '../job/sample-job.ts';
import { facts, suspension } from './explained-facts.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const textOf = (...given: Parameters<typeof facts>): string => explainJob(facts(...given), NOON).text;

describe('the text of an explanation', () => {
  it('of a timer', () => {
    expect(textOf('waiting', { dueAt: NOON + HOUR })).toBe(
      'It is not due before 2026-01-01T13:00:00.000Z. It lies in Timers; the acquirer makes it ready ahead of its time, at the latest at 2026-01-01T12:57:00.000Z, and it starts when it is due.',
    );
    expect(textOf('waiting', { dueAt: NOON - HOUR }, { acquirer: { at: NOON, report: { unfinished: 3, failed: 1 } } })).toBe(
      'It was due at 2026-01-01T11:00:00.000Z. It lies in Timers and is late; the acquirer makes it ready at its next run, at the latest at 2026-01-01T12:02:00.000Z, and it starts then. The acquirer did not get through all of its 64 shards in its last run (4 were left), so it may come later.',
    );
  });

  it('of a timer that is not fired', () => {
    expect(textOf('waiting', { dueAt: NOON }, { acquirer: { report: {} } })).toBe(
      'It was due at 2026-01-01T12:00:00.000Z. It lies in Timers, and should be on its way to its queue. The acquirer has never ended a run: no timer fires until it does. Look at the alarm acquirer-heartbeat, and whether the deployment is switched off.',
    );
  });

  it('of a job that is tried again', () => {
    const error = { name: 'TypeError', message: 'no such invoice', at: NOON - MINUTE };
    expect(textOf('ready', { dueAt: NOON + MINUTE, lockExpiresAt: NOON + 3 * MINUTE, failures: 2, error, triesLimit: 5 })).toBe(
      'It failed last at 2026-01-01T11:59:00.000Z, failure 2: TypeError: no such invoice. It is tried again at 2026-01-01T12:01:00.000Z. Its message is on its way and comes to an executor then. Were it lost, the sweeper would send another at the latest at 2026-01-01T12:05:02.000Z. It was given 5 tries in all.',
    );
  });

  it('of a job behind its group', () => {
    const told = textOf('ready', { group: 'account/7' }, { groupLock: { owner: 'run/x', until: NOON + MINUTE } });
    expect(told).toBe(
      'It is due since 2026-01-01T12:00:00.000Z and waits for its exclusive group account/7, of which only one job runs at a time. run/x holds the group until 2026-01-01T12:01:00.000Z at the latest, unless it renews that; whatever ends first lets the next one start. Its message comes back by itself then; were it lost, the sweeper would send another at the latest at 2026-01-01T12:04:02.000Z.',
    );
  });

  it.each([
    ['skip', 'ends as skipped'],
    ['buffer-one', 'waits, or ends as skipped if another one waits already'],
    ['cancel-other', 'cancels that one, and starts when it has stopped'],
  ] as const)('of a job whose schedule does not overlap names the occurrence before it (%s)', (overlap, then) => {
    const schedule = { definition: { overlap } } as Schedule;
    const facts = { schedule, turnOf: 'another' };
    const told = textOf('ready', { schedule: 'nightly', starts: 0, kind: 'timer' }, facts);
    expect(told).toContain(`Its schedule does not overlap: if another is not finished by then, it ${then}.`);
    // One that an operator started waits for its turn, whatever the policy.
    expect(textOf('ready', { schedule: 'nightly', starts: 0, kind: 'async' }, facts)).not.toContain('does not overlap');
  });

  it('of a job whose turn under a limit has come', () => {
    const booked = `${new Date(NOON).toISOString()} - somehash`;
    expect(textOf('ready', { booked })).toContain('It was parked under a limit and its turn has come: a slot is kept for it.');
    expect(textOf('ready', { booked: `${new Date(NOON - 1).toISOString()} - somehash` })).not.toContain('parked');
  });

  it('of a job that no worker that reported lately could run', () => {
    const other = { worker: 'default', version: '1', kind: 'lambda', types: ['other'], firstSeen: NOON, lastSeen: NOON - MINUTE } as const;
    const why =
      'No version of worker default that reported within 10 minutes has a handler for invoice.send: it would be suspended until one has.';
    expect(textOf('ready', {}, { workers: [other] })).toContain(why);
    for (const workers of [[], [{ ...other, lastSeen: NOON - HOUR }], [{ ...other, worker: 'gpu' }], [other, { ...other, types: ['*'] }]])
      expect(textOf('ready', {}, { workers })).not.toContain('would be suspended');
  });

  it('promises nothing of a sweeper that stands still or needs several runs', () => {
    const still = explainJob(facts('ready', {}, { sweeper: { at: NOON - HOUR, report: {} } }), NOON);
    expect(still).toMatchObject({ code: 'in-queue' });
    expect(still.text).toContain('whether the deployment is switched off');
    const ranOut = { lockExpiresAt: NOON - HOUR };
    const slow = explainJob(facts('running', ranOut, { sweeper: { at: NOON, report: { passedSegments: 1 } } }), NOON);
    expect(slow).toMatchObject({ code: 'lease-ran-out', next: { verb: 'reset', by: 'sweeper' } });
    expect(slow.next.at).toBeUndefined();
    expect(slow.text).toContain('in one of its next runs (its last one saw 1 of 4 segments of Jobs to their end)');
  });

  it('of a job whose suspension is over and begins again later', () => {
    const rules = { ...NO_RULES, suspensions: new Map([[suspension.scope, { ...suspension, from: NOON + HOUR }]]) };
    const one = explainJob(facts('suspended', {}, { rules, cause: {} }), NOON);
    expect(one).toMatchObject({ code: 'suspension-ended', next: { at: new Date(NOON + 2 * MINUTE) } });
    expect(one.text).toContain('It begins again at 2026-01-01T13:00:00.000Z.');
  });

  it('of a job that a pause keeps from starting', () => {
    const schedule = { definition: { overlap: 'allow' }, paused: { at: NOON - HOUR, reason: 'audit' } } as unknown as Schedule;
    const one = explainJob(facts('waiting', { schedule: 'nightly', starts: 0 }, { schedule }), NOON);
    expect(one).toMatchObject({ code: 'stopped-by-schedule' });
    expect(one.text).toContain('Its schedule nightly is paused since 2026-01-01T11:00:00.000Z (audit), so it will not start.');
    const ranBefore = explainJob(facts('waiting', { schedule: 'nightly', starts: 1 }, { schedule }), NOON);
    expect(ranBefore.code).toBe('due-later');
  });

  it('of a job that crashed', () => {
    expect(textOf('running', { lockOwner: 'alone/x', lockExpiresAt: NOON - MINUTE, crashes: 1 })).toBe(
      'Attempt 1 ended without an outcome: the lease of alone/x ran out at 2026-01-01T11:59:00.000Z, so its process died or was cut off. It ran alone, so this is its crash 2 of 3. The sweeper gives it back to its queue at the latest at 2026-01-01T12:02:00.000Z; an executor that gets its message again may be faster.',
    );
  });

  it('of a suspended job', () => {
    const rules = { ...NO_RULES, suspensions: new Map([[suspension.scope, suspension]]) };
    expect(textOf('suspended', {}, { rules })).toBe(
      'The type invoice.send is suspended since 2026-01-01T11:00:00.000Z by anna (bank is down), until an operator ends it. The job was suspended at 2026-01-01T11:59:00.000Z. It stays suspended until an operator ends that with resume; runNow starts this job alone. It is in Suspended, and none of its counters changed.',
    );
  });

  it('of a job without a handler counts a worker that hands out every type among those that have one', () => {
    const reported = { worker: 'default', kind: 'outside', firstSeen: NOON, lastSeen: NOON - HOUR } as const;
    const workers = [
      { ...reported, version: '1', types: ['other'] },
      { ...reported, version: '2', types: ['*'] },
    ];
    expect(textOf('suspended', { cause: 'no-handler#invoice.send' }, { workers })).toContain(
      'A handler is in version 2. None is in version 1.',
    );
  });

  it.each([
    ['retries-exhausted', { failures: 3 }, 'its tries are used up (3 failures).'],
    ['failed', {}, 'its handler said so, with fail().'],
    ['non-retryable', {}, 'what it threw is never tried again.'],
    ['crash-loop', { crashes: 3 }, 'it killed the process that ran it, 3 times.'],
    ['chain-limit', { chainDepth: 10_000 }, 'jobs that enqueue jobs came to a chain of 10000, which is the limit.'],
    ['unreadable', {}, 'its row could not be read; it is kept as it lay there.'],
  ] as const)('of a dead letter that is %s', (reason: DeadReason, more: Partial<Job>, why) => {
    expect(textOf('dead', { ...more, reason }, { errorGroupSeen: 12 })).toContain(
      `It has been a dead letter since 2026-01-01T12:00:00.000Z, after 1 attempt: ${why} This error was seen 12 times (error group f).`,
    );
  });

  it.each([
    ['completed', {}, 'It completed with attempt 1 at'],
    ['cancelled', { cancelledBy: 'anna', cancelReason: 'too late' }, 'It was cancelled by anna (too late) at'],
    ['skipped', { schedule: 'nightly' }, 'It was skipped: its schedule nightly kept it from starting at'],
  ])('of a finished job that was %s', (outcome, more, how) => {
    expect(textOf('finished', { outcome, ...more })).toBe(`${how} 2026-01-01T12:00:00.000Z. Nothing happens to it any more.`);
  });

  it('cuts what a user wrote and gives no sentence two ends', () => {
    const error = { name: 'Error', message: `${'x'.repeat(299)}😀 and more`, at: NOON };
    expect(textOf('dead', { error })).toMatch(/Error: x{299}.?\.\.\. /u);
    expect(textOf('dead', { error: { ...error, message: 'Why?' } })).toContain('Error: Why? It does not run again');
  });
});

describe('an explanation, whatever was read', () => {
  const instant = fc.integer({ min: NOON - 3 * HOUR, max: NOON + 3 * HOUR });
  const beat = fc.record({ at: instant, report: fc.constant({ unfinished: 1, passedSegments: 2 }) }, { requiredKeys: ['report'] });
  const job = fc.record(
    {
      dueAt: instant,
      lockExpiresAt: instant,
      suspendedAt: instant,
      tryAt: instant,
      starts: fc.nat(3),
      failures: fc.nat(3),
      snoozes: fc.nat(3),
      crashes: fc.nat(3),
      runNow: fc.constant(true),
      cancelRequested: fc.constant(true),
      group: fc.constant('g'),
      schedule: fc.constant('s'),
      batch: fc.constant('b'),
      lockOwner: fc.constantFrom('run/x', 'alone/x', 'queue/2/alone/x', 'queue/0/x'),
      cause: fc.constantFrom('all', suspension.scope, 'no-handler#invoice.send', 'breakpoint'),
      error: fc.constant({ name: 'E', message: 'm', at: NOON }),
    },
    { requiredKeys: ['batch'] },
  );
  const more: fc.Arbitrary<Partial<Facts>> = fc.record(
    {
      workerKnown: fc.boolean(),
      groupQueue: fc.boolean(),
      rules: fc.constant({ ...NO_RULES, suspensions: new Map([[suspension.scope, { ...suspension, until: NOON + HOUR }]]) }),
      acquirer: beat,
      sweeper: beat,
      schedule: fc.constantFrom('gone', 'unreadable'),
      batchCancelled: fc.boolean(),
      rates: fc.constant(['per-minute']),
      groupLock: fc.record({ owner: fc.constant('run/y'), until: instant }),
      backlog: fc.nat(50),
      limit: fc.record({
        name: fc.constant('one'),
        n: fc.nat(2),
        slots: fc.array(fc.record({ index: fc.nat(2), owner: fc.constant('job/x'), until: instant }), { maxLength: 3 }),
        before: fc.nat(3),
        exact: fc.boolean(),
        parkedAt: instant,
      }),
      cause: fc.constantFrom('none', { ratePerSecond: 5 }, { releaseFrom: new Date(NOON + 7 * SECOND).toISOString() }),
      workers: fc.constant([{ worker: 'default', version: '1', kind: 'lambda', types: ['invoice.send'], firstSeen: NOON, lastSeen: NOON }]),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<Partial<Facts>>;
  const states = fc.constantFrom<JobState>('waiting', 'parked', 'ready', 'running', 'suspended', 'dead', 'finished');

  it('is plain words, and never promises the past', () => {
    fc.assert(
      fc.property(states, job, more, (state, given, read) => {
        const { text, next, facts: rests, verbs } = explainJob(facts(state, given, read), NOON);
        expect(text).not.toMatch(/undefined|NaN|Infinity|null|\[object|Invalid|\.\.|\s{2}/u);
        expect(text).toMatch(/^[A-Z].*\.$/su);
        expect(next.at === undefined || next.at.getTime() >= NOON).toBe(true);
        expect(Object.values(rests).every((value) => ['string', 'number', 'boolean'].includes(typeof value))).toBe(true);
        expect(new Set(verbs).size).toBe(verbs.length);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('the verbs for a job whose worker is gone', () => {
  const gone = { workerKnown: false };

  it('of a dead letter are none that refuse it, and move is one', () => {
    const { verbs, next, text } = explainJob(facts('dead', {}, gone), NOON);
    expect(verbs).toEqual(['move', 'editPayload', 'delete']);
    expect(next).toEqual({ verb: 'move', by: 'operator' });
    expect(text).toContain('is not part of this deployment');
    expect(text).not.toContain('redrive runs it');
  });

  it('of a job that waits have move instead of runNow', () => {
    const { verbs } = explainJob(facts('waiting', {}, gone), NOON);
    expect(verbs).toContain('move');
    expect(verbs).not.toContain('runNow');
  });
});
