import { mapLimited } from '../../core/map-limited.ts';
import type { Row, RowKey } from '../../ports/tables.ts';
import { limitPartition, PARKED_LISTING } from '../../store/limit-rows.ts';
import { readSlots } from '../../store/slots.ts';
import type { AdminParts } from '../admin.ts';
import type { LimitUse } from './statistics.ts';

const MOST_LIMITS = 1_000;
const PARALLEL = 8;
/** Parked jobs are read whole, so no more of them than one page holds. */
const MOST_COUNTED = 1_000;

/** Limits under which jobs are parked, those with most of them first. What is parked beyond a page (1,000 jobs, 1 MB) is not counted. */
export async function readLimits(parts: AdminParts): Promise<readonly LimitUse[]> {
  const listed: Row[] = [];
  let after: RowKey | undefined;
  do {
    const start = after === undefined ? {} : { after };
    const page = await parts.tables.query({ table: 'control', partition: PARKED_LISTING, limit: MOST_LIMITS, ...start });
    listed.push(...page.rows);
    after = page.cursor;
  } while (after !== undefined && listed.length < MOST_LIMITS);
  const uses = await mapLimited(listed, PARALLEL, async (row) => useOf(parts, row));
  return uses.toSorted((a, b) => b.parked - a.parked || (a.limit < b.limit ? -1 : 1));
}

async function useOf({ tables, clock }: AdminParts, listing: Row): Promise<LimitUse> {
  const hash = String(listing['sk']);
  const [slots, waiting] = await Promise.all([
    readSlots(tables, hash),
    tables.query({ table: 'timers', partition: limitPartition(hash), limit: MOST_COUNTED }),
  ]);
  const now = clock.now();
  return {
    limit: String(listing['limit']),
    hash,
    held: slots.filter(({ until }) => until > now).length,
    parked: waiting.rows.length,
    exact: waiting.cursor === undefined,
  };
}
