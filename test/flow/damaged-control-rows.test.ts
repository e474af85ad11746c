import { describe, expect, it } from 'vitest';
import { groupHash } from '../../shared/job/hint.ts';
import { iso } from '../../shared/job/instant.ts';
import { shardOf } from '../../shared/job/job-id.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import type { Row, RowKey } from '../../shared/ports/tables.ts';
import { uniqueKeyHash } from '../../shared/job/unique-key.ts';
import { acquireLockKey, groupLockKey, heldCauseKey, uniqueKeyKey } from '../../shared/store/control-rows.ts';
import { takeLock } from '../../shared/store/take-lock.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const MINUTE = 60_000;
const work = defineJob('work', { payload: anyPayload });
const putControl = (rig: Rig, row: Row) => rig.tables.write({ op: 'put', table: 'control', row });

/** What may stand where a lock says until when. */
const NO_INSTANTS: readonly (Row[string] | undefined)[] = [undefined, 'never', '', 'Jan 1 2020', 7, true, '+012026-01-01T00:00:00.000Z'];

describe('a lock that does not say until when it is held', () => {
  it.each(NO_INSTANTS)('(%j) does not stop its shard', async (lockExpiresAt) => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(work, {}, { delay: 20 * MINUTE });
    await putControl(rig, { ...acquireLockKey(shardOf(id)), lockOwner: 'x', ...(lockExpiresAt === undefined ? {} : { lockExpiresAt }) });
    await rig.clock.advance(20 * MINUTE);
    expect(await rig.fire()).toMatchObject({ fired: 1 });
  });

  it.each(NO_INSTANTS)('(%j) does not stop its group', async (lockExpiresAt) => {
    const rig = new Rig({ handlers: [work.handle(() => undefined)] });
    await rig.client.enqueue(work, {}, { group: 'g' });
    await putControl(rig, { ...groupLockKey(groupHash('g')), lockOwner: 'x', ...(lockExpiresAt === undefined ? {} : { lockExpiresAt }) });
    await rig.drain();
    expect(rig.journal.count('completed')).toBe(1);
  });

  it('is taken by one of two that see it at once', async () => {
    const rig = new Rig();
    const key: RowKey = groupLockKey('g');
    await putControl(rig, { ...key, lockOwner: 'x' });
    const times = { now: rig.clock.now(), expiresAt: rig.clock.now() + MINUTE };
    const taken = await Promise.all(['run/a', 'run/b'].map((owner) => takeLock(rig.tables, key, owner, times)));
    expect(taken.filter((one) => one.taken)).toHaveLength(1);
  });
});

describe('a unique key that is held by', () => {
  it.each(['', ' ', 'somebody', '019b7a2c-3c00-4000-8000-000000000000'])('%j, which is no job, is free', async (jobId) => {
    const rig = new Rig();
    await putControl(rig, { ...uniqueKeyKey(uniqueKeyHash('work', undefined, 'k')), jobId });
    expect((await rig.client.enqueue(work, {}, { key: 'k' })).duplicate).toBe(false);
    expect((await rig.client.enqueue(work, {}, { key: 'k' })).duplicate).toBe(true);
  });
});

describe('the row of a cause', () => {
  it.each([{ cause: false }, { cause: 'another' }, { cause: '' }, {}])(
    'that says %j still names the jobs that wait for it',
    async (said) => {
      const rig = new Rig();
      await rig.client.enqueue(work, {});
      await rig.drain();
      await putControl(rig, { ...heldCauseKey('no-handler#work'), ...said, seenAt: iso(rig.clock.now()) });
      await rig.clock.advance(5 * MINUTE);
      expect((await rig.sweep()).resumed).toBe(1);
    },
  );

  it.each([{}, { seenAt: 7 }, { seenAt: 'never' }])(
    'for which no job waits goes, although it says %j of when it was named',
    async (said) => {
      const rig = new Rig();
      await putControl(rig, { ...heldCauseKey('no-handler#gone'), ...said });
      await rig.sweep();
      expect((await rig.rows('control')).filter(({ pk }) => pk === 'held-cause')).toEqual([]);
    },
  );
});
