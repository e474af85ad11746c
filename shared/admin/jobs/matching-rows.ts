import { mapLimited } from '../../core/map-limited.ts';
import type { JobState } from '../../core/job.ts';
import { keyOf, TABLE_SPECS } from '../../ports/table-spec.ts';
import type { RowKey, Tables } from '../../ports/tables.ts';
import { type FoundRow, unitsOf } from '../../store/find-row.ts';
import { matchesFields, matchesText, stateOfRow } from './match-row.ts';
import { decodePosition, encodePosition } from './page-cursor.ts';
import type { Order, Place, Plan } from './plan.ts';
import { type ReadRow, readPlace } from './read-place.ts';

/**
 * A row that matches. `row` is whole where the page was asked for payloads, otherwise what a list needs. `locatedRow(match)` of the store makes a
 * job of a whole one, or throws RowUnreadableError.
 */
export interface MatchedRow extends FoundRow {
  readonly state: JobState;
  /** Goes on right behind this row. */
  readonly cursor: string;
}

/** Rows that match, in the order of the plan. */
export interface MatchingPage {
  readonly rows: readonly MatchedRow[];
  /** Absent when every place was read to its end; a page may be empty and not the last. */
  readonly next?: string;
  /** About: what single rows cost is counted by their size. */
  readonly readUnits: number;
  /** The order of the place, where all rows are of one. */
  readonly order: Order;
  /** The places that were read, for people. */
  readonly servedBy: string;
}

/** How much of a pass a page is. */
export interface PageLimits {
  /** Rows at most. */
  readonly limit: number;
  /** Ends the page, full or not, once so many read units were spent. */
  readonly maxReadUnits: number;
  /** Gives whole rows, read one by one where an index gives only columns; a page of many bytes ends early. */
  readonly withPayload?: boolean;
}

const PARALLEL = 16;
/** Rows with payloads are held in memory, and each may have hundreds of kilobytes. */
const MOST_BYTES = 16 * 1024 * 1024;
const HEAVY = ['payload', 'state', 'raw', 'errorStack'];

/**
 * Reads the next rows that match, behind a cursor or from the start. A job that stays where it is is met exactly once in a pass of pages; one that
 * moves may be met twice or missed. Whoever removes what it meets reads the next page first: DynamoDB goes on behind a row that is gone, but
 * emulators may find nothing there. Throws InvalidInputError for a cursor of another filter.
 */
export async function matchingPage(tables: Tables, plan: Plan, cursor: string | undefined, limits: PageLimits): Promise<MatchingPage> {
  const pass = new Pass(tables, plan, limits);
  const start = cursor === undefined ? undefined : decodePosition(plan, cursor);
  const first = start === undefined ? 0 : plan.places.findIndex(({ name }) => name === start.place);
  for (const [index, place] of plan.places.slice(first).entries()) {
    if (await pass.through(place, index === 0 ? start?.after : undefined)) break;
  }
  return pass.page();
}

class Pass {
  readonly #tables: Tables;
  readonly #plan: Plan;
  readonly #limits: PageLimits;
  readonly #rows: MatchedRow[] = [];
  readonly #places: Place[] = [];
  readonly #gave = new Set<Place>();
  #readUnits = 0;
  #bytes = 0;
  #next: string | undefined;

  constructor(tables: Tables, plan: Plan, limits: PageLimits) {
    this.#tables = tables;
    this.#plan = plan;
    this.#limits = limits;
  }

  /** Reads a place; true when the page ended in it. */
  async through(place: Place, after: RowKey | undefined): Promise<boolean> {
    if (this.#isSpent()) return this.#endAt(place, after);
    this.#places.push(place);
    for await (const step of readPlace(this.#tables, place, after, { first: this.#limits.limit })) {
      this.#readUnits += step.readUnits;
      const stoppedAt = await this.#take(place, step.rows);
      if (stoppedAt !== undefined) return this.#endAt(place, stoppedAt);
      const { end } = step;
      // A page that got nowhere would be the same for ever.
      if (end !== undefined && !isSameKey(end, after) && this.#isSpent()) return this.#endAt(place, end);
    }
    return false;
  }

  page(): MatchingPage {
    const [only, another] = this.#gave.size > 0 ? [...this.#gave] : this.#places;
    return {
      rows: this.#rows,
      ...(this.#next === undefined ? {} : { next: this.#next }),
      readUnits: this.#readUnits,
      order: another === undefined ? (only?.order ?? 'none') : 'none',
      servedBy: this.#places.map(({ shown }) => shown).join(', ') || 'nothing: no job can match',
    };
  }

  #isSpent(): boolean {
    const { limit, maxReadUnits } = this.#limits;
    return this.#rows.length >= limit || this.#readUnits >= maxReadUnits || this.#bytes >= MOST_BYTES;
  }

  #endAt(place: Place, after: RowKey | undefined): true {
    this.#next = encodePosition(this.#plan, { place: place.name, ...(after === undefined ? {} : { after }) });
    return true;
  }

  /** Takes what matches; the position of the row at which the page was full, if rows are left. */
  async #take(place: Place, rows: readonly ReadRow[]): Promise<RowKey | undefined> {
    const candidates = rows.filter(({ table, row }) => matchesFields(this.#plan.filter, table, row));
    for (let done = 0; done < candidates.length;) {
      const room = this.#limits.limit - this.#rows.length;
      const some = candidates.slice(done, done + Math.min(room, 4 * PARALLEL));
      done += some.length;
      this.#rows.push(...(await this.#matches(place, some)));
      const last = some.at(-1);
      const more = done < candidates.length || last?.row !== rows.at(-1)?.row;
      if (this.#isSpent() && more) return last?.at;
    }
    return undefined;
  }

  async #matches(place: Place, rows: readonly ReadRow[]): Promise<readonly MatchedRow[]> {
    const { filter } = this.#plan;
    const isPartial = place.read === 'merge' && place.index !== undefined;
    const found = await mapLimited(rows, PARALLEL, async (read): Promise<ReadRow | undefined> => {
      const { table, row, at } = read;
      const wholeIsNeeded = isPartial && (this.#limits.withPayload === true || !matchesText(filter, row));
      if (!wholeIsNeeded) return matchesText(filter, row) ? read : undefined;
      const whole = await this.#tables.get(table, keyOf(TABLE_SPECS[table], row));
      this.#readUnits += whole === undefined ? 1 : unitsOf(whole);
      // An index lags behind: the job may have left, or come again otherwise.
      if (whole === undefined || !matchesFields(filter, table, whole) || !matchesText(filter, whole)) return undefined;
      return { table, row: whole, at };
    });
    return found.flatMap((read) => (read === undefined ? [] : [this.#matched(place, read)]));
  }

  #matched(place: Place, { table, row, at }: ReadRow): MatchedRow {
    const kept =
      this.#limits.withPayload === true ? row : Object.fromEntries(Object.entries(row).filter(([name]) => !HEAVY.includes(name)));
    this.#bytes += HEAVY.reduce((sum, name) => sum + String(kept[name] ?? '').length, 0);
    const cursor = encodePosition(this.#plan, { place: place.name, after: at });
    this.#gave.add(place);
    return { table, key: keyOf(TABLE_SPECS[table], row), row: kept, state: stateOfRow(table, row), cursor };
  }
}

function isSameKey(a: RowKey, b: RowKey | undefined): boolean {
  return b !== undefined && Object.entries(a).every(([name, value]) => b[name] === value);
}
