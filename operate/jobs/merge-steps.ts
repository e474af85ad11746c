import { defined } from '../../shared/job/defined.ts';
import { iso, storedInstant } from '../../shared/job/instant.ts';
import { mapLimited } from '../../shared/job/map-limited.ts';
import { type KeySpec, keyOf, TABLE_SPECS } from '../../shared/ports/table-spec.ts';
import type { Row, RowKey, Tables } from '../../shared/ports/tables.ts';
import { limitPartition, PARKED_LISTING } from '../../shared/store/parked-rows.ts';
import type { MergePlace } from './plan.ts';
import type { ReadRow, ReadSize, ReadStep } from './read-step.ts';

const PARALLEL = 32;
const MAX_ROWS = 200;
const LISTED_AT_ONCE = 1_000;

/** One partition on its way: rows that were read and not yet given. */
interface Stream {
  readonly partition: string;
  readonly from?: string;
  readonly through?: string;
  /** Rows that share this sort key were given already, before one of a later partition. */
  readonly given?: string;
  after?: RowKey | undefined;
  rows: readonly Row[];
  done: boolean;
}

type Keys = Required<Pick<KeySpec, 'partition' | 'sort'>>;

/**
 * Reads partitions in the order of their sort key (rows with equal keys in the order of the partitions), so that the key of the last row determines
 * where to continue in all of them.
 */
export async function* mergedSteps(tables: Tables, place: MergePlace, after: RowKey | undefined, size: ReadSize): AsyncGenerator<ReadStep> {
  const spec = keysOf(place);
  const listed = place.partitions === 'parked-limits' ? await parkedLimits(tables) : { lists: place.partitions, readUnits: 0 };
  if (listed.readUnits > 0) yield { rows: [], readUnits: listed.readUnits };
  const reached = after?.[spec.partition];
  const lists = reached === undefined ? listed.lists : remaining(listed.lists, reached, place);
  for (const [index, list] of lists.entries()) {
    const behind = reached !== undefined && (place.index !== undefined || list.includes(reached)) ? after : undefined;
    const streams = list.map((partition) => streamOf({ place, spec, list }, partition, behind));
    yield* listSteps(tables, { place, spec, streams, behind, isLast: index === lists.length - 1 }, size);
  }
}

function keysOf({ table, index }: MergePlace): Keys {
  const spec: KeySpec | undefined = index === undefined ? TABLE_SPECS[table] : TABLE_SPECS[table].indexes[index];
  return { partition: spec?.partition ?? '', sort: spec?.sort ?? '' };
}

/** Limits come and go between two pages, so each is a list of its own, in a fixed order. */
async function parkedLimits(tables: Tables): Promise<{ readonly lists: readonly (readonly string[])[]; readonly readUnits: number }> {
  const rows: Row[] = [];
  let [after, readUnits]: [RowKey | undefined, number] = [undefined, 0];
  do {
    const query = { table: 'control', partition: PARKED_LISTING, limit: LISTED_AT_ONCE, consistent: true } as const;
    const page = await tables.query({ ...query, ...defined({ after }) });
    rows.push(...page.rows);
    readUnits += page.readUnits;
    after = page.cursor;
  } while (after !== undefined);
  return { lists: rows.map((row) => [limitPartition(String(row['sk']))]), readUnits };
}

/**
 * The lists from the one on that the last page had reached. A day that is not read any more had the oldest jobs: newest first, nothing is left. An
 * index has one list, in which the type that the last page had reached may have no dead letters any more.
 */
function remaining(lists: readonly (readonly string[])[], reached: string, place: MergePlace): readonly (readonly string[])[] {
  if (place.index !== undefined) return lists;
  const at = lists.findIndex((list) => (place.partitions === 'parked-limits' ? String(list[0]) >= reached : list.includes(reached)));
  if (at < 0) return place.order === 'oldest-first' ? lists : [];
  return lists.slice(at);
}

function isDescending({ order }: MergePlace): boolean {
  return order === 'newest-first' || order === 'latest-first';
}

interface StreamPlace {
  readonly place: MergePlace;
  readonly spec: Keys;
  readonly list: readonly string[];
}

function streamOf({ place, spec, list }: StreamPlace, partition: string, behind: RowKey | undefined): Stream {
  const { from, through } = place;
  const stream = (range: { from?: string | undefined; through?: string | undefined }, more: Partial<Stream> = {}): Stream => ({
    partition,
    ...defined({ from: range.from, through: range.through }),
    rows: [],
    done: range.from !== undefined && range.through !== undefined && range.from > range.through,
    ...more,
  });
  if (behind === undefined) return stream({ from, through });
  const [reached, sort] = [String(behind[spec.partition]), String(behind[spec.sort])];
  const newestFirst = isDescending(place);
  if (partition === reached) {
    // Times that are counted from now have moved on since the last page: a key outside of its range is refused.
    const [isBefore, isBehind] = [from !== undefined && sort < from, through !== undefined && sort > through];
    if (newestFirst ? isBefore : isBehind) return stream({}, { done: true });
    return stream({ from, through }, isBefore || isBehind ? {} : { after: behind });
  }
  const earlier = list.indexOf(partition) < list.indexOf(reached);
  const given = earlier ? { given: sort } : {};
  if (!newestFirst) return stream({ from: from !== undefined && from > sort ? from : sort, through }, given);
  const last = earlier ? rightBefore(sort) : sort;
  return stream({ from, through: through !== undefined && through < last ? through : last }, given);
}

/** The instant before one; a sort key that is no instant is unique, or damaged, and stays: what was given is left out one by one. */
function rightBefore(sort: string): string {
  const at = storedInstant(sort);
  return at === undefined || at === 0 ? sort : iso(at - 1);
}

interface Listing {
  readonly place: MergePlace;
  readonly spec: Keys;
  readonly streams: readonly Stream[];
  readonly behind: RowKey | undefined;
  readonly isLast: boolean;
}

/** Each step fills every partition that has run dry and gives what is certain to come next. */
async function* listSteps(tables: Tables, { place, spec, streams, behind, isLast }: Listing, size: ReadSize): AsyncGenerator<ReadStep> {
  let [limit, end] = [Math.min(Math.ceil((2 * size.first) / streams.length) + 2, MAX_ROWS), behind];
  for (;;) {
    const dry = streams.filter((stream) => !stream.done && stream.rows.length === 0);
    if (dry.length === 0) return;
    const asked = limit;
    const units = await mapLimited(dry, PARALLEL, async (stream) => refill(tables, { place, spec, stream }, asked));
    const rows = takeCertain(streams, place, spec);
    end = rows.at(-1)?.at ?? end;
    limit = Math.min(2 * limit, MAX_ROWS);
    const isOver = isLast && streams.every((stream) => stream.done && stream.rows.length === 0);
    yield { rows, ...(end === undefined || isOver ? {} : { end }), readUnits: units.reduce((sum, one) => sum + one, 0) };
  }
}

interface Refilled {
  readonly place: MergePlace;
  readonly spec: Keys;
  readonly stream: Stream;
}

async function refill(tables: Tables, { place, spec, stream }: Refilled, limit: number): Promise<number> {
  const { partition, from, through, after, given } = stream;
  const page = await tables.query({
    table: place.table,
    partition,
    limit,
    newestFirst: isDescending(place),
    ...defined({ index: place.index, from, through, after }),
  });
  stream.rows = page.rows.filter((row) => given === undefined || row[spec.sort] !== given);
  stream.after = page.cursor;
  stream.done = page.cursor === undefined;
  return page.readUnits;
}

/** Takes rows in order until a partition is empty that may have more: what it holds could come before all others. */
function takeCertain(streams: readonly Stream[], place: MergePlace, spec: Keys): ReadRow[] {
  const table = TABLE_SPECS[place.table];
  const before = (a: string, b: string): boolean => (isDescending(place) ? a > b : a < b);
  const taken: ReadRow[] = [];
  for (;;) {
    let next: Stream | undefined;
    for (const stream of streams) {
      if (stream.rows.length === 0 && !stream.done) return taken;
      const [a, b] = [stream.rows[0]?.[spec.sort], next?.rows[0]?.[spec.sort]];
      if (a !== undefined && (b === undefined || before(String(a), String(b)))) next = stream;
    }
    const [row] = next?.rows ?? [];
    if (next === undefined || row === undefined) return taken;
    next.rows = next.rows.slice(1);
    taken.push({ table: place.table, row, at: { ...keyOf(spec, row), ...keyOf(table, row) } });
  }
}
