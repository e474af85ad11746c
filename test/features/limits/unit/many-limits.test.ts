import { expect, it } from 'vitest';
import { releaseParked } from '../../../../functions/acquirer/duties/release-parked.ts';
import { sha256 } from '../../../../shared/job/hash.ts';
import { iso } from '../../../../shared/job/instant.ts';
import { groupOfWaiting, waitingHash } from '../../../../shared/store/group-places.ts';
import { listingKey } from '../../../../shared/store/parked-rows.ts';
import { Rig } from '../../../support/rig.ts';

it('of more limits and groups than a tick may look at, it begins among either at a place that chance draws', async () => {
  const rig = new Rig();
  const starts = new Set<string>();
  const tables: typeof rig.deps.tables = {
    ...rig.deps.tables,
    query: async ({ after }) => {
      if (after !== undefined) starts.add(String(after['sk']));
      return { rows: [], readUnits: 0, cursor: listingKey('a') };
    },
  };
  const tokens = Array.from({ length: 8 }, (_, n) => `tick ${n}`);
  for (const token of tokens) {
    const entropy = { ...rig.deps.entropy, token: () => token };
    await releaseParked({ ...rig.deps, tables, entropy }, { acquirer: 0, of: 1 }, rig.clock.now());
  }
  expect([...starts].map((start) => groupOfWaiting(start) ?? start)).toEqual(tokens.map(sha256));
  expect(new Set([...starts].map((start) => groupOfWaiting(start) === undefined))).toEqual(new Set([true, false]));
});

it.each([
  ['limits', sha256],
  ['groups', (text: string) => waitingHash(sha256(text))],
])('%s under which jobs may be parked are all looked at in turn, however many there are', async (_, listedAs) => {
  const rig = new Rig();
  const hashes = Array.from({ length: 1_200 }, (_none, n) => listedAs(`customer ${n}`));
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
