import { expect, it } from 'vitest';
import { releaseParked } from '../../../../functions/acquirer/duties/release-parked.ts';
import { sha256 } from '../../../../shared/job/hash.ts';
import { iso } from '../../../../shared/job/instant.ts';
import { listingKey } from '../../../../shared/store/parked-rows.ts';
import { Rig } from '../../../support/rig.ts';

it('of more limits than a tick may look at, it begins at a place that chance draws, the whole way round', async () => {
  const rig = new Rig();
  const starts = new Set<unknown>();
  const tables: typeof rig.deps.tables = {
    ...rig.deps.tables,
    query: async ({ after }) => {
      if (after !== undefined) starts.add(after['sk']);
      return { rows: [], readUnits: 0, cursor: listingKey('a') };
    },
  };
  for (const token of ['one', 'two']) {
    const entropy = { ...rig.deps.entropy, token: () => token };
    await releaseParked({ ...rig.deps, tables, entropy }, { acquirer: 0, of: 1 }, rig.clock.now());
  }
  expect(starts).toEqual(new Set([sha256('one'), sha256('two')]));
});

it('limits under which jobs may be parked are all looked at in turn, however many there are', async () => {
  const rig = new Rig();
  const hashes = Array.from({ length: 1_200 }, (_, n) => sha256(`customer ${n}`));
  const seenAt = iso(rig.clock.now());
  const looked = new Set<string>();
  const { deps } = rig;
  const tables: typeof deps.tables = {
    ...deps.tables,
    query: async (query) => {
      if (query.table === 'timers') {
        looked.add(query.partition.slice('limit#'.length));
        return { rows: [], readUnits: 0 };
      }
      const { after, limit } = query;
      const rows = hashes.toSorted().filter((hash) => after === undefined || hash > String(after['sk']));
      const page = rows.slice(0, limit).map((hash) => ({ ...listingKey(hash), limit: 'per-customer', n: 1, seenAt }));
      return { rows: page, readUnits: 1, ...(rows.length > limit ? { cursor: listingKey(rows[limit - 1] ?? '') } : {}) };
    },
  };
  for (let tick = 0; tick < 10; tick++) {
    await releaseParked({ ...deps, tables }, { acquirer: 0, of: 1 }, rig.clock.now() + 50_000);
    if (tick === 0) expect(looked.size).toBe(1_000);
  }
  expect(looked.size).toBe(1_200);
});
