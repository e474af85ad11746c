import { errorText } from '../../../shared/job/error-text.ts';
import { hash32, sha256 } from '../../../shared/job/hash.ts';
import { iso } from '../../../shared/job/instant.ts';
import { mapLimited } from '../../../shared/job/map-limited.ts';
import type { Row } from '../../../shared/ports/tables.ts';
import { unchanged } from '../../../shared/store/conditions.ts';
import { limitPartition, listingKey, PARKED_LISTING } from '../../../shared/store/parked-rows.ts';
import { wakeNext } from '../../../shared/features/group-order/store/wake.ts';
import { groupOfWaiting, waitingHash } from '../../../shared/store/group-places.ts';
import { inForce, type RuleRows } from '../../../shared/features/limits/model/operator-limit.ts';
import { readRules } from '../../../shared/features/rules/store/rules.ts';
import { fillRoom } from '../../../shared/features/limits/store/release-parked.ts';
import type { AcquirerShare } from '../acquirer-share.ts';
import type { AcquirerDeps } from '../deps.ts';

const MAX_LISTED = 1_000;
const PARALLEL = 8;
/** A listing lives longer than every lease, so that a job that is being parked never misses it. */
const LISTING_IDLE_MS = 30 * 60_000;

/**
 * Releases parked jobs into free slots that were not handed over, because a holder died or the limit was raised, and the next jobs of groups whose
 * first one was settled elsewhere. Costs half a read unit if no job is parked, and as much again for the numbers that operators set if one is parked under a limit.
 * Returns how many were released. Failures are journalled and retried at the next tick.
 */
export async function releaseParked(deps: AcquirerDeps, share: AcquirerShare, stopAt: number): Promise<number> {
  const mine = (await listed(deps)).filter((row) => hash32(String(row['sk'])) % share.of === share.acquirer);
  const numbers: RuleRows = mine.some(isOfLimit) ? (await readRules(deps.tables)).rules.others : new Map();
  // Starts at a different limit each time, so that a run that ends early does not always skip the same limits.
  const first = Math.floor(deps.entropy.random() * mine.length);
  const released = await mapLimited([...mine.slice(first), ...mine.slice(0, first)], PARALLEL, async (row) => {
    if (deps.clock.now() >= stopAt) return 0;
    return releaseUnder({ ...deps, numbers }, row, stopAt).catch((error: unknown) => {
      deps.journal.record({ event: 'store-failed', reason: 'parked', error: errorText(error, deps.clock.now()) });
      return 0;
    });
  });
  return released.reduce((sum, one) => sum + one, 0);
}

/** At most as many as one tick may check. If there are more, starts at a different limit or group each time, so that none is skipped forever. */
async function listed({ tables, entropy }: AcquirerDeps): Promise<readonly Row[]> {
  const query = { table: 'control', partition: PARKED_LISTING, limit: MAX_LISTED } as const;
  const first = await tables.query(query);
  if (first.cursor === undefined) return first.rows;
  const token = entropy.token();
  const hash = sha256(token);
  // The keys of groups lie together: no hash of a limit sorts between them.
  const start = hash32(token) % 2 === 0 ? hash : waitingHash(hash);
  const { rows } = await tables.query({ ...query, after: listingKey(start) });
  return [...rows, ...first.rows.filter(({ sk }) => String(sk) <= start).slice(0, MAX_LISTED - rows.length)];
}

const isOfLimit = ({ sk }: Row): boolean => groupOfWaiting(String(sk)) === undefined;

async function releaseUnder(deps: AcquirerDeps & { readonly numbers: RuleRows }, listing: Row, stopAt: number): Promise<number> {
  const hash = String(listing['sk']);
  const waiting = await deps.tables.query({ table: 'timers', partition: limitPartition(hash), limit: 1 });
  const group = groupOfWaiting(hash);
  if (waiting.rows.length > 0 && group !== undefined) return (await wakeNext(deps, group)) ? 1 : 0;
  const limit = { hash, name: String(listing['limit']), n: Number(listing['n']) };
  if (waiting.rows.length > 0) return fillRoom(deps, inForce(limit, deps.numbers), stopAt);
  if (String(listing['seenAt']) < iso(deps.clock.now() - LISTING_IDLE_MS)) {
    const condition = unchanged('seenAt', listing['seenAt']);
    await deps.tables.write({ op: 'delete', table: 'control', key: listingKey(hash), condition });
  }
  return 0;
}
