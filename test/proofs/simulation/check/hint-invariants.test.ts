import { describe, expect, it } from 'vitest';
import { queueOwner } from '../../../../shared/job/lock-owner.ts';
import type { ReceivedHint } from '../../../../shared/ports/hints.ts';
import { quietWorld, readyJob } from './quiet-world.ts';

describe('the invariants of hints', () => {
  it('holds a message that a machine acknowledges against its job, one by one', async () => {
    const world = quietWorld();
    const { id } = await readyJob(world);
    const pool = world.process('executor', 'pool');
    const message = (n: number): ReceivedHint => ({
      messageId: 'm',
      body: JSON.stringify({ v: 1, id, n }),
      receiptHandle: 'r',
      receiveCount: 1,
      queue: { worker: 'default', lane: 'default', kind: 'standard' },
    });
    world.checks.hints.acknowledged(pool, message(0));
    expect(world.checks.violations.list).toEqual([]);
    world.checks.hints.acknowledged(pool, message(1));
    expect(world.checks.violations.list.map(({ rule }) => rule)).toEqual(['hint-kept']);
  });

  it('does not call a hint old that is kept because its row cannot be read', async () => {
    const world = quietWorld();
    const { id, row } = await readyJob(world);
    const executor = world.process('executor', 'executor');
    const unreadable = { ...row, createdAt: 'yesterday', lockOwner: 'run/other', lockExpiresAt: '2027-01-01T00:00:00.000Z', dispatches: 9 };
    const claim = { op: 'update', table: 'jobs', key: { id }, set: { lockOwner: 'run/mine' } } as const;
    const message = { messageId: 'm', body: JSON.stringify({ v: 1, id, n: 1 }), receiptHandle: 'r', receiveCount: 1 };
    const received = [{ ...message, queue: { worker: 'default', lane: 'default', kind: 'standard' } }] as const;
    world.checks.hints.begin(executor);
    world.checks.hints.refused(executor, claim, unreadable);
    world.checks.hints.handled(executor, received, ['m']);
    expect(world.checks.violations.list).toEqual([]);
    const again = { ...claim, set: { lockOwner: 'run/again' } };
    world.checks.hints.refused(executor, again, { ...unreadable, createdAt: row['createdAt'] ?? '' });
    world.checks.hints.handled(executor, received, ['m']);
    expect(world.checks.violations.list.map(({ rule }) => rule)).toEqual(['stale-dropped']);
  });

  it('goes by the oldest answer of several attempts at one claim, because that of a late one is not received', async () => {
    const world = quietWorld();
    const { id, row } = await readyJob(world);
    const executor = world.process('executor', 'executor');
    const claim = (owner: string) => ({ op: 'update', table: 'jobs', key: { id }, set: { lockOwner: owner } }) as const;
    const message = { messageId: 'm', body: JSON.stringify({ v: 1, id, n: 1 }), receiptHandle: 'r', receiveCount: 1 };
    const received = [{ ...message, queue: { worker: 'default', lane: 'default', kind: 'standard' } }] as const;
    world.checks.hints.begin(executor);
    world.checks.hints.refused(executor, claim('run/mine'), { ...row, dispatches: 1 });
    world.checks.hints.refused(executor, claim('run/mine'), { ...row, dispatches: 2 });
    world.checks.hints.handled(executor, received, ['m']);
    expect(world.checks.violations.list).toEqual([]);
    world.checks.hints.refused(executor, claim('run/next'), { ...row, dispatches: 2 });
    world.checks.hints.handled(executor, received, ['m']);
    expect(world.checks.violations.list.map(({ rule }) => rule)).toEqual(['stale-dropped']);
  });

  it('forgets that a claim was refused when a later attempt of it was applied', async () => {
    const world = quietWorld();
    const { id, row } = await readyJob(world);
    const executor = world.process('executor', 'executor');
    const claim = { op: 'update', table: 'jobs', key: { id }, set: { lockOwner: 'run/mine' } } as const;
    const message = { messageId: 'm', body: JSON.stringify({ v: 1, id, n: 1 }), receiptHandle: 'r', receiveCount: 1 };
    world.checks.hints.refused(executor, claim, { ...row, dispatches: 9 });
    await world.store.write(executor, { ...claim, add: { rev: 1, starts: 1 } });
    const received = [{ ...message, queue: { worker: 'default', lane: 'default', kind: 'standard' } }] as const;
    world.checks.hints.handled(executor, received, ['m']);
    expect(world.checks.violations.list.map(({ rule }) => rule)).not.toContain('stale-dropped');
  });

  it('tells of a redelivered job that started beside others, and not of a claim of an earlier invocation that arrives late', async () => {
    for (const starts of [true, false]) {
      const world = quietWorld();
      const { id } = await readyJob(world);
      const executor = world.process('executor', 'executor');
      const message = { messageId: 'm', body: JSON.stringify({ v: 1, id, n: 1 }), receiptHandle: 'r', receiveCount: 2 };
      const received = [{ ...message, queue: { worker: 'default', lane: 'default', kind: 'standard' } }] as const;
      world.checks.hints.begin(executor);
      const set = { lockOwner: 'run/mine', lockExpiresAt: '2027-01-01T00:00:00.000Z' };
      await world.store.write(executor, { op: 'update', table: 'jobs', key: { id }, set, add: { rev: 1, starts: 1 } });
      if (starts) world.checks.ledger.start(executor, { id, dueAt: new Date(0) }, new AbortController().signal)('done');
      world.checks.hints.handled(executor, received, []);
      expect(world.checks.violations.list.map(({ rule }) => rule)).toEqual(starts ? ['runs-alone'] : []);
    }
  });

  it('expects no hint of a row that was damaged after it was made ready', async () => {
    for (const spoils of [true, false]) {
      const world = quietWorld();
      const { id, row } = await readyJob(world);
      const sweeper = world.process('sweeper', 'sweeper');
      const lockOwner = queueOwner('again', 0, false);
      const add = { rev: 1, dispatches: 1 };
      const later = { lockOwner, lockExpiresAt: '2026-01-01T01:00:00.000Z' };
      await world.time.runUntil(world.time.now + 3_600 * 1_000);
      await world.store.write(sweeper, { op: 'update', table: 'jobs', key: { id }, set: later, add });
      if (spoils) world.checks.tracker.spoiled({ ...row, ...later, dispatches: 2, createdAt: 'yesterday' });
      world.checks.hints.ended(sweeper);
      expect(world.checks.violations.list.map(({ rule }) => rule)).toEqual(spoils ? [] : ['nothing-unsent']);
    }
  });
});
