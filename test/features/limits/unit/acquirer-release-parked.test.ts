import { describe, expect, it } from 'vitest';
import { releaseParked } from '../../../../functions/acquirer/duties/release-parked.ts';
import { StoreUnavailableError } from '../../../../shared/job/errors.ts';
import { sha256 } from '../../../../shared/job/hash.ts';
import { iso } from '../../../../shared/job/instant.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { decodeJob } from '../../../../shared/store/job-codec.ts';
import { limitPartition, listingKey, parkedRow } from '../../../../shared/store/parked-rows.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';

const HOUR = 3_600_000;
const ALONE = { acquirer: 0, of: 1 };
const work = defineJob('work', { payload: anyPayload });

/** A rig with one job parked under each of so many limits that have room for it; the limits by their hashes. */
async function parkedUnder(limits: number): Promise<{ readonly rig: Rig; readonly hashes: readonly string[] }> {
  const rig = new Rig();
  const hashes = Array.from({ length: limits }, (_, n) => sha256(`limit ${n}`));
  for (const hash of hashes) await rig.client.enqueue(work, { hash }, { delay: HOUR });
  const timers = await rig.rows('timers');
  for (const [n, row] of timers.entries()) {
    const hash = hashes[n] ?? '';
    await rig.tables.write({ op: 'delete', table: 'timers', key: { shard: String(row['shard']), due: String(row['due']) } });
    await rig.tables.write({ op: 'put', table: 'timers', row: parkedRow(decodeJob(row), hash, rig.clock.now()) });
    const listing = { ...listingKey(hash), limit: `limit ${n}`, n: 1, seenAt: iso(rig.clock.now()) };
    await rig.tables.write({ op: 'put', table: 'control', row: listing });
  }
  return { rig, hashes };
}

describe('a run of the acquirer over the limits with parked jobs', () => {
  it('releases what has room under each of them, and counts them all', async () => {
    const { rig } = await parkedUnder(3);
    expect(await releaseParked(rig.deps, ALONE, rig.clock.now() + HOUR)).toBe(3);
    expect(await rig.counts()).toMatchObject({ jobs: 3, timers: 0 });
  });

  it('shares them out, each to one acquirer', async () => {
    const { rig } = await parkedUnder(20);
    const asked: string[] = [];
    const query = rig.tables.query.bind(rig.tables);
    rig.tables.query = async (what) => {
      if (what.table === 'timers' && what.limit === 1) asked.push(what.partition);
      return query(what);
    };
    for (const acquirer of [0, 1, 2]) await releaseParked(rig.deps, { acquirer, of: 3 }, rig.clock.now() + HOUR);
    expect(asked).toHaveLength(20);
    expect(new Set(asked).size).toBe(20);
  });

  it('goes on with the others when one cannot be looked at, and journals that', async () => {
    const { rig, hashes } = await parkedUnder(3);
    const query = rig.tables.query.bind(rig.tables);
    rig.tables.query = async (what) => {
      if (what.table === 'timers' && what.partition === limitPartition(hashes[1] ?? '')) {
        throw new StoreUnavailableError('test', new Error('throttled'));
      }
      return query(what);
    };
    expect(await releaseParked(rig.deps, ALONE, rig.clock.now() + HOUR)).toBe(2);
    expect(rig.journal.entries).toContainEqual(expect.objectContaining({ event: 'store-failed', reason: 'parked' }));
  });

  it('releases nothing more when its time ends while it looks', async () => {
    const { rig } = await parkedUnder(1);
    const stopAt = rig.clock.now() + HOUR;
    const query = rig.tables.query.bind(rig.tables);
    rig.tables.query = async (what) => {
      if (what.table === 'timers') await rig.clock.advance(HOUR);
      return query(what);
    };
    expect(await releaseParked(rig.deps, ALONE, stopAt)).toBe(0);
  });
});
