import { beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../../../../shared/job/hash.ts';
import { groupHash } from '../../../../shared/job/hint.ts';
import { iso } from '../../../../shared/job/instant.ts';
import { heldGroups } from '../../../../shared/features/group-order/admin/held-groups.ts';
import { takeTurn } from '../../../../shared/features/group-order/store/turn.ts';
import { wakeNext } from '../../../../shared/features/group-order/store/wake.ts';
import type { Query, Row, SingleWrite, Tables, Write } from '../../../../shared/ports/tables.ts';
import {
  hasPlace,
  leavePlaceWrites,
  placeInOrder,
  placeText,
  takePlaceWrites,
  waitingHash,
} from '../../../../shared/store/group-places.ts';
import { locate } from '../../../../shared/store/locate.ts';
import { park } from '../../../../shared/store/park.ts';
import { take } from '../../../support/faulty-rig.ts';
import { groupStage, step } from '../../../support/group-stage.ts';

const HASH = groupHash('order');
const places = `places#${HASH}`;
const parked = `limit#group.${HASH}`;

const queries: Query[] = [];
const writes: SingleWrite[] = [];
const transactions: (readonly [string, readonly Write[]])[] = [];

/** The same tables, which remember what is asked of them. */
const watched = (tables: Tables): Tables => ({
  get: (table, key) => tables.get(table, key),
  write: (write, window) => (writes.push(write), tables.write(write, window)),
  transact: (all, token, terms) => (transactions.push([token, all]), tables.transact(all, token, terms)),
  putAll: (table, rows, window) => tables.putAll(table, rows, window),
  query: (query) => (queries.push(query), tables.query(query)),
  scan: (scan) => tables.scan(scan),
});

beforeEach(() => {
  for (const list of [queries, writes, transactions]) list.length = 0;
});

describe('the order of a group', () => {
  it('asks for nothing and changes nothing for a job without a place', async () => {
    const { rig } = groupStage();
    const plain = [{ job: { id: 'i', group: 'order' } as never }, { job: { id: 'j' } as never }];
    expect(await placeInOrder(watched(rig.tables), plain)).toEqual(plain);
    expect(queries).toEqual([]);
  });

  it('asks for the last places up to twice the difference of clocks ahead, and for those of its own instant if it is delayed', async () => {
    const { rig } = groupStage();
    const at = rig.clock.now();
    const job = (delayed: boolean) => ({ job: { id: 'i', group: 'order', groupPlace: placeText(at, { delayed }) } as never });
    await placeInOrder(watched(rig.tables), [job(false), job(true)]);
    const look = { table: 'control', partition: places, limit: 10, newestFirst: true, consistent: true };
    expect(queries).toEqual([
      { ...look, from: `place#${iso(at)}#`, through: `place#${iso(at + 4_000)}#~` },
      { ...look, from: `place#${iso(at)}#d`, through: `place#${iso(at)}#~` },
    ]);
  });

  it('takes a turn by one consistent read and one write, which lasts for 40 days', async () => {
    const { rig, enqueue } = groupStage();
    const id = await enqueue('a');
    const found = await locate(rig.tables, id);
    const now = rig.clock.now();
    expect(await takeTurn(watched(rig.tables), found?.job as never, now)).toBe(true);
    expect(queries).toEqual([{ table: 'control', partition: places, limit: 2, consistent: true }]);
    const row = { pk: places, sk: 'holder', jobId: id, since: iso(now), expiresAt: Math.ceil(now / 1000) + 40 * 86_400 };
    expect(writes).toMatchObject([{ op: 'put', table: 'control', row }]);
  });

  it('asks whose turn it is by one read, and writes nothing for a job that has to wait', async () => {
    const { rig, enqueue } = groupStage();
    await enqueue('a');
    const b = await enqueue('b');
    const found = await locate(rig.tables, b);
    expect(await takeTurn(watched(rig.tables), found?.job as never, rig.clock.now())).toBe(false);
    expect([queries.length, writes]).toEqual([1, []]);
  });

  it('takes a place again in the transaction that parks its job, so that no place outlives the job', async () => {
    const { rig, enqueue } = groupStage();
    await enqueue('a');
    const job = await take(rig, await enqueue('b'));
    const [put, remove] = [takePlaceWrites(job), leavePlaceWrites(job)];
    for (const write of remove) await rig.tables.write(write as SingleWrite);
    const terms = { limit: { hash: waitingHash(HASH), name: 'order', n: 1 }, now: rig.clock.now(), place: put };
    const lost = { ...job, lockOwner: 'executor/0/another' as typeof job.lockOwner };
    expect(await park(rig.tables, lost, terms)).toEqual({ result: 'lost' });
    expect(await hasPlace(rig.tables, job)).toBe(false);
    expect(await park(rig.tables, job, terms)).toEqual({ result: 'parked' });
    expect(await hasPlace(rig.tables, job)).toBe(true);
  });

  it('wakes the next job by one transaction that demands it as it was read, under a token of its own', async () => {
    const { rig, enqueue } = groupStage();
    const a = await enqueue('a', { fails: 1 });
    const b = await enqueue('b');
    await rig.drain();
    await rig.client.cancel(a);
    const found = await locate(rig.tables, b);
    const rev = found?.state === 'parked' ? found.job.rev : 0;
    expect(await wakeNext({ ...rig.deps, tables: watched(rig.tables) }, HASH)).toBe(true);
    expect(queries[0]).toEqual({ table: 'timers', partition: parked, limit: 1, consistent: true });
    const [[token, all] = []] = transactions;
    const [remove, put] = all ?? [];
    expect(remove).toMatchObject({ op: 'delete', table: 'timers', condition: { test: 'equals', attribute: 'rev', value: rev } });
    expect(put).toMatchObject({ op: 'put', table: 'jobs', row: { id: b }, condition: { test: 'absent', attribute: 'id' } });
    const { lockOwner } = (put as { readonly row: Row }).row;
    const drawn = String(lockOwner).split('/').at(-1) ?? '';
    expect(drawn).not.toBe('');
    expect(token).toBe(sha256(`wake/${b}/${rev}/${drawn}`));
  });

  it('lists the groups that wait, and no limit', async () => {
    const { rig } = groupStage();
    await rig.client.enqueue(step, {});
    await heldGroups(watched(rig.tables));
    expect(queries).toEqual([{ table: 'control', partition: 'parked', from: 'group.', through: 'group.~', limit: 1_000 }]);
  });
});
