import { errorText } from '../../shared/core/error-text.ts';
import { hash32, sha256 } from '../../shared/core/hash.ts';
import { iso } from '../../shared/core/instant.ts';
import { mapLimited } from '../../shared/core/map-limited.ts';
import type { Row } from '../../shared/ports/tables.ts';
import { unchanged } from '../../shared/store/conditions.ts';
import { limitPartition, listingKey, PARKED_LISTING } from '../../shared/features/limits/store/limit-rows.ts';
import { fillRoom } from '../../shared/features/limits/store/release-parked.ts';
import type { AcquirerShare } from './acquirer-share.ts';
import type { AcquirerDeps } from './deps.ts';

const MOST_LISTED = 1_000;
const PARALLEL = 8;
/** A listing outlives every lease, so that a job on its way to be parked is never left without it. */
const LISTING_IDLE_MS = 30 * 60_000;

/**
 * Releases parked jobs into room that nobody handed over: a holder died, or the number grew. Half a read unit where no job is parked.
 * Returns how many were released; what fails is journalled, and tried again at the next tick.
 */
export async function releaseParked(deps: AcquirerDeps, share: AcquirerShare, stopAt: number): Promise<number> {
  const mine = (await listed(deps)).filter((row) => hash32(String(row['sk'])) % share.of === share.acquirer);
  // From another limit each time, so that time that runs out does not always cut off the same ones.
  const first = Math.floor(deps.entropy.random() * mine.length);
  const released = await mapLimited([...mine.slice(first), ...mine.slice(0, first)], PARALLEL, async (row) => {
    if (deps.clock.now() >= stopAt) return 0;
    return releaseUnder(deps, row, stopAt).catch((error: unknown) => {
      deps.journal.record({ event: 'store-failed', reason: 'parked', error: errorText(error, deps.clock.now()) });
      return 0;
    });
  });
  return released.reduce((sum, one) => sum + one, 0);
}

/** At most so many as a tick may look at; of more, from another one each time, so that none is passed over for ever. */
async function listed({ tables, entropy }: AcquirerDeps): Promise<readonly Row[]> {
  const query = { table: 'control', partition: PARKED_LISTING, limit: MOST_LISTED } as const;
  const first = await tables.query(query);
  if (first.cursor === undefined) return first.rows;
  const start = sha256(entropy.token());
  const { rows } = await tables.query({ ...query, after: listingKey(start) });
  return [...rows, ...first.rows.filter(({ sk }) => String(sk) <= start).slice(0, MOST_LISTED - rows.length)];
}

async function releaseUnder(deps: AcquirerDeps, listing: Row, stopAt: number): Promise<number> {
  const hash = String(listing['sk']);
  const waiting = await deps.tables.query({ table: 'timers', partition: limitPartition(hash), limit: 1 });
  if (waiting.rows.length > 0) return fillRoom(deps, { hash, name: String(listing['limit']), n: Number(listing['n']) }, stopAt);
  if (String(listing['seenAt']) < iso(deps.clock.now() - LISTING_IDLE_MS)) {
    const condition = unchanged('seenAt', listing['seenAt']);
    await deps.tables.write({ op: 'delete', table: 'control', key: listingKey(hash), condition });
  }
  return 0;
}
