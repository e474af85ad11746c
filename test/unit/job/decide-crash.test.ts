import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decideCrash } from '../../../shared/job/decide.ts';
import { executorOwner, isQueueOwner, queueOwner, ranAlone, redispatchesOf } from '../../../shared/job/lock-owner.ts';
import { NOON, sampleJob } from './sample-job.ts';

describe('a crash', () => {
  test('of a job that ran alone counts', () =>
    expect(decideCrash(sampleJob({ crashes: 1 }), true, 3, NOON)).toEqual({ verb: 'run-again', crashes: 2 }));

  test('of a job that had neighbours does not count', () =>
    expect(decideCrash(sampleJob({ crashes: 2 }), false, 3, NOON)).toEqual({ verb: 'run-again', crashes: 2 }));

  test('that reaches the limit makes a dead letter, which says how often', () => {
    expect(decideCrash(sampleJob({ crashes: 2 }), true, 3, NOON)).toMatchObject({
      verb: 'bury',
      reason: 'crash-loop',
      error: { name: 'CrashLoopError', message: expect.stringContaining('3 times') as string, at: NOON },
    });
  });

  test('ends a job that was to be cancelled as cancelled, even at the limit', () => {
    expect(decideCrash(sampleJob({ cancelRequested: true, crashes: 99 }), true, 3, NOON)).toEqual({ verb: 'cancel' });
  });

  test('counts against nothing but its own limit: failures do not matter', () => {
    expect(decideCrash(sampleJob({ failures: 99 }), true, 3, NOON)).toEqual({ verb: 'run-again', crashes: 1 });
  });

  test('of a job that always kills its process ends after exactly the limit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), (limit) => {
        let job = sampleJob();
        for (let crash = 1; crash <= limit; crash += 1) {
          const decision = decideCrash(job, true, limit, NOON);
          expect(decision.verb).toBe(crash === limit ? 'bury' : 'run-again');
          if (decision.verb === 'run-again') job = { ...job, crashes: decision.crashes };
        }
      }),
    );
  });
});

describe('a lock owner', () => {
  test('says whether the row waits, runs beside others or runs alone', () => {
    expect(
      [queueOwner('t'), executorOwner('t', false), executorOwner('t', true)].map((owner) => [isQueueOwner(owner), ranAlone(owner)]),
    ).toEqual([
      [true, false],
      [false, false],
      [false, true],
    ]);
  });

  test('carries the redispatches in a row, and none while it runs', () => {
    expect(redispatchesOf(queueOwner('t', 7))).toBe(7);
    expect(redispatchesOf(queueOwner('t'))).toBe(0);
    expect(redispatchesOf(executorOwner('7/7', true))).toBe(0);
    expect(redispatchesOf('queue/x/t')).toBe(0);
  });

  test('differs for each token, so that one write can be told from another', () => expect(queueOwner('a')).not.toBe(queueOwner('b')));
});
