import { describe, expect, it } from 'vitest';
import { explainJob } from '../../../operate/explain/explain-job.ts';
import { NO_RULES, type Suspension } from '../../../shared/features/rules/model/rules.ts';
import { NOON } from '../job/sample-job.ts';
import { facts, settings, suspension } from './explained-facts.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('the moment that an explanation tells', () => {
  const explained = (...given: Parameters<typeof facts>) => explainJob(facts(...given), NOON);
  const { sweepSkewMs, backlogPatienceMs } = settings;
  const inForce = (more: Partial<Suspension>) => ({ ...NO_RULES, suspensions: new Map([[suspension.scope, { ...suspension, ...more }]]) });

  it.each([
    ['ready', {}, 'in-queue', 'hint-lost'],
    ['running', { lockOwner: 'run/r' }, 'running', 'lease-ran-out'],
  ] as const)('is the end of a lease on every clock, for a job that is %s', (state, job, before, after) => {
    expect(explained(state, { ...job, lockExpiresAt: NOON - sweepSkewMs + 1 }).code).toBe(before);
    expect(explained(state, { ...job, lockExpiresAt: NOON - sweepSkewMs }).code).toBe(after);
  });

  it('is now where the end of a run has just passed', () => {
    const workers = [{ worker: 'default', version: '1', kind: 'lambda', types: ['*'], firstSeen: NOON, lastSeen: NOON }] as const;
    for (const [lockExpiresAt, at] of [
      [NOON - 1, NOON],
      [NOON + 1, NOON + 1],
    ]) {
      expect(explained('running', { lockExpiresAt }, { workers }).next).toEqual({
        verb: 'complete',
        by: 'executor',
        at: new Date(at ?? 0),
      });
    }
  });

  it('is how long a backlog explains a job that stays in its queue', () => {
    const { code, text } = explained('ready', { lockExpiresAt: NOON - 1 }, { backlog: 1_000 });
    expect(code).toBe('behind-a-backlog');
    expect(text).toContain(`If it is still there at ${new Date(NOON - 1 + backlogPatienceMs).toISOString()} and those messages`);
    expect(text).toContain(`at ${new Date(NOON - 1 + 24 * backlogPatienceMs).toISOString()} it does whatever waits`);
  });

  it('is when the acquirer comes to a parked job, if there is room for those before it too', () => {
    const limit = { name: 'one', n: 2, slots: [{ index: 0, owner: 'job/x', until: NOON + 1 }], before: 0, exact: true, parkedAt: NOON };
    expect(explained('parked', {}, { limit }).next.at).toEqual(new Date(NOON + 2 * MINUTE));
    expect(explained('parked', {}, { limit: { ...limit, before: 1 } }).next).toEqual({ verb: 'release', by: 'acquirer' });
  });

  it.each([
    ['from when its jobs are resumed', NOON + 7 * MINUTE, NOON + 9 * MINUTE],
    ['now, if that has come', NOON - HOUR, NOON + 2 * MINUTE],
  ])('is, for a job whose suspension is over, %s', (_what, from, at) => {
    const cause = { releaseFrom: new Date(from).toISOString() };
    expect(explained('suspended', {}, { rules: NO_RULES, cause }).next).toEqual({ verb: 'resume', by: 'sweeper', at: new Date(at) });
  });

  it('is now, not its due time, for the suspension that an overdue job meets', () => {
    const overdue = { dueAt: NOON - HOUR };
    expect(explained('ready', overdue, { rules: inForce({ from: NOON - MINUTE }) }).code).toBe('held-by-suspension');
    expect(explained('ready', overdue, { rules: inForce({ until: NOON - MINUTE }) }).code).toBe('in-queue');
  });

  it('is late only where two ticks were missed', () => {
    const late = (ms: number) => explained('waiting', { dueAt: NOON }, { acquirer: { at: NOON - ms, report: {} } }).code;
    expect([late(3 * MINUTE), late(3 * MINUTE + 1)]).toEqual(['due-later', 'acquirer-late']);
  });

  it('is among its facts', () => {
    const iso = (ms: number) => new Date(ms).toISOString();
    const job = { dueAt: NOON + HOUR, lockOwner: 'queue/0/t', lockExpiresAt: NOON + 2 * HOUR };
    const dueAt = iso(job.dueAt);
    expect(explained('ready', job, { backlog: 3 }).facts).toEqual({
      type: 'invoice.send',
      worker: 'default',
      dueAt,
      lockOwner: job.lockOwner,
      lockExpiresAt: iso(job.lockExpiresAt),
      backlog: 3,
      sweeperAt: iso(NOON),
    });
    expect(explained('waiting', job).facts).toMatchObject({ dueAt, acquirerAt: iso(NOON) });
  });
});
