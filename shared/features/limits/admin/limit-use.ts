import { InvalidInputError } from '../../../job/errors.ts';
import { mapLimited } from '../../../job/map-limited.ts';
import { checkOptions } from '../../../job/names.ts';
import type { Row, RowKey } from '../../../ports/tables.ts';
import { groupOfWaiting } from '../../../store/group-places.ts';
import { limitPartition, PARKED_LISTING } from '../../../store/parked-rows.ts';
import { readRules } from '../../rules/store/rules.ts';
import { inForce, type RuleRows } from '../model/operator-limit.ts';
import { readSlots } from '../store/slots.ts';
import type { OperatorDeps } from '../../../operator/operator-deps.ts';

/** How many slots of a limit are held, and how many jobs wait for one. */
export interface LimitUse {
  readonly limit: string;
  readonly hash: string;
  readonly held: number;
  /** The number in force; absent if it cannot be read. */
  readonly n?: number;
  readonly parked: number;
  /** False when more are parked than were counted. */
  readonly exact: boolean;
}

/** Limits that were looked at. */
export interface LimitUses {
  /** Those with most parked jobs first. */
  readonly limits: readonly LimitUse[];
  /** False when the read units did not last for all limits: the others are left out. */
  readonly complete: boolean;
  readonly readUnits: number;
}

const MAX_LIMITS = 1_000;
const PARALLEL = 8;
const READ_UNITS = 500;
/** Parked jobs are read whole to be counted: this many per limit if there are few limits, otherwise hardly more than needed to show that there are some. */
const COUNTED = 100;
const COUNTED_OF_MANY = 10;
const FEW_LIMITS = 10;
/** About what reading the slots of a limit costs. */
const SLOTS_UNITS = 1;

/** Limits under which jobs are parked, those with most of them first, as many as the read units allow. */
export async function readLimits(deps: OperatorDeps, options: { readonly maxReadUnits?: number } = {}): Promise<LimitUses> {
  checkOptions(options, ['maxReadUnits'], 'options');
  const { maxReadUnits = READ_UNITS } = options;
  if (!Number.isFinite(maxReadUnits) || maxReadUnits < 1) {
    throw new InvalidInputError('maxReadUnits', maxReadUnits, 'Use a number of read units, 1 or more.');
  }
  const spent = { readUnits: 0 };
  const [{ rows, more }, { rules }] = await Promise.all([readListing(deps, spent), readRules(deps.tables)]);
  const listed = rows.filter(({ sk }) => groupOfWaiting(String(sk)) === undefined);
  const atMost = listed.length <= FEW_LIMITS ? COUNTED : COUNTED_OF_MANY;
  const limits: LimitUse[] = [];
  await mapLimited(listed, PARALLEL, async (row) => {
    // At least one is always read: a budget that shows nothing is useless.
    if (spent.readUnits < maxReadUnits || limits.length === 0)
      limits.push(await useOf(deps, row, { atMost, spent, numbers: rules.others }));
  });
  limits.sort((a, b) => b.parked - a.parked || (a.limit < b.limit ? -1 : 1));
  return { limits, complete: !more && limits.length === listed.length, readUnits: spent.readUnits };
}

interface Spent {
  readUnits: number;
}

async function readListing({ tables }: OperatorDeps, spent: Spent): Promise<{ readonly rows: readonly Row[]; readonly more: boolean }> {
  const rows: Row[] = [];
  let after: RowKey | undefined;
  do {
    const start = after === undefined ? {} : { after };
    const page = await tables.query({ table: 'control', partition: PARKED_LISTING, limit: MAX_LIMITS, ...start });
    rows.push(...page.rows);
    spent.readUnits += page.readUnits;
    after = page.cursor;
  } while (after !== undefined && rows.length < MAX_LIMITS);
  return { rows, more: after !== undefined };
}

async function useOf(
  { tables, clock }: OperatorDeps,
  listing: Row,
  { atMost, spent, numbers }: { readonly atMost: number; readonly spent: Spent; readonly numbers: RuleRows },
): Promise<LimitUse> {
  const hash = String(listing['sk']);
  // Booked ahead, so that those that are read side by side do not all find room.
  spent.readUnits += SLOTS_UNITS;
  const [slots, waiting] = await Promise.all([
    readSlots(tables, hash),
    tables.query({ table: 'timers', partition: limitPartition(hash), limit: atMost }),
  ]);
  spent.readUnits += waiting.readUnits;
  const now = clock.now();
  const { name, n } = inForce({ name: String(listing['limit']), n: Number(listing['n']) }, numbers);
  return {
    limit: name,
    hash,
    ...(Number.isNaN(n) ? {} : { n }),
    held: slots.filter(({ until }) => until > now).length,
    parked: waiting.rows.length,
    exact: waiting.cursor === undefined,
  };
}
