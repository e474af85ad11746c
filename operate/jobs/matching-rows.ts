import { defined } from '../../shared/job/defined.ts';
import { mapLimited } from '../../shared/job/map-limited.ts';
import type { JobState } from '../../shared/job/job.ts';
import { keyOf, TABLE_SPECS } from '../../shared/ports/table-spec.ts';
import type { RowKey, Tables } from '../../shared/ports/tables.ts';
import { type FoundRow, unitsOf } from '../../shared/store/find-row.ts';
import { matchesRow, matchRow, stateOfRow } from './match-row.ts';
import { decodePosition, encodePosition } from './page-cursor.ts';
import type { Order, Place, Plan } from './plan.ts';
import { readPlace, type ReadStart } from './read-place.ts';
import type { ReadRow } from './read-step.ts';

/**
 * A row that matches. `row` is whole where the page was asked for payloads, otherwise what a list needs. `locatedRow(match)` of the store makes a
 * job of a whole one, or throws RowUnreadableError.
 */
export interface MatchedRow extends FoundRow {
  readonly state: JobState;
  /** Continues right after this row. */
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
  /** Ends the page, full or not, once this many read units were used. */
  readonly maxReadUnits: number;
  /** Gives whole rows, read one by one where an index gives only columns; a page of many bytes ends early. */
  readonly withPayload?: boolean;
  /** Gets each row instead of the page, which then has no rows and no end by `limit`: for counts of any size. */
  readonly onMatch?: (match: MatchedRow) => void;
}

const PARALLEL = 16;
/** Rows with payloads are held in memory, and each may have hundreds of kilobytes. */
const MAX_BYTES = 16 * 1024 * 1024;
const HEAVY = ['payload', 'state', 'raw', 'errorStack'];

/**
 * Reads the next rows that match, behind a cursor or from the start. A job that stays where it is is met once in a pass of pages; one that
 * moves may be met twice or missed, and so may a dead letter in a list of all types when the open error groups change between two pages. Throws InvalidInputError for a cursor of another filter.
 */
export async function matchingPage(tables: Tables, plan: Plan, cursor: string | undefined, limits: PageLimits): Promise<MatchingPage> {
  const pass = new Pass(tables, plan, limits);
  const start = cursor === undefined ? undefined : decodePosition(plan, cursor);
  const first = start === undefined ? 0 : plan.places.findIndex(({ name }) => name === start.place);
  for (const [index, place] of plan.places.slice(first).entries()) {
    if (await pass.through(place, index === 0 ? (start ?? {}) : {})) break;
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
  async through(place: Place, start: ReadStart): Promise<boolean> {
    if (this.#isSpent()) return this.#endAt(place, start);
    this.#places.push(place);
    for await (const step of readPlace(this.#tables, place, start, { first: this.#limits.limit })) {
      this.#readUnits += step.readUnits;
      const stoppedAt = await this.#take(place, step.rows);
      if (stoppedAt !== undefined) return this.#endAt(place, stoppedAt);
      const { end } = step;
      // A page without progress would repeat forever.
      if (end !== undefined && !isSameKey(end, start.after) && this.#isSpent()) return this.#endAt(place, { after: end });
    }
    return false;
  }

  page(): MatchingPage {
    const [only, another] = this.#gave.size > 0 ? [...this.#gave] : this.#places;
    return {
      rows: this.#rows,
      ...defined({ next: this.#next }),
      readUnits: this.#readUnits,
      order: another === undefined ? (only?.order ?? 'none') : 'none',
      servedBy: this.#places.map(({ shown }) => shown).join(', ') || 'nothing: no job can match',
    };
  }

  #isSpent(): boolean {
    const { limit, maxReadUnits } = this.#limits;
    return this.#rows.length >= limit || this.#readUnits >= maxReadUnits || this.#bytes >= MAX_BYTES;
  }

  #endAt(place: Place, { after, at }: ReadStart): true {
    this.#next = this.#cursor(place, defined({ after, at }));
    return true;
  }

  #cursor(place: Place, start: ReadStart): string {
    return encodePosition(this.#plan, { place: place.name, ...start });
  }

  /** Collects matching rows. Returns where to continue if the page is full and rows are left. */
  async #take(place: Place, rows: readonly ReadRow[]): Promise<ReadStart | undefined> {
    const { filter } = this.#plan;
    const candidates = rows.flatMap(({ table, row }, index) => (matchRow(filter, table, row, isPartial(place)) === 'no' ? [] : [index]));
    for (let done = 0; done < candidates.length;) {
      const room = Math.max(1, this.#limits.limit - this.#rows.length);
      const some = candidates.slice(done, done + Math.min(room, 4 * PARALLEL));
      done += some.length;
      const found = await mapLimited(some, PARALLEL, async (index) => this.#match(place, rows, index));
      const { onMatch } = this.#limits;
      if (onMatch === undefined) this.#rows.push(...found.flatMap((match) => match ?? []));
      else for (const match of found) if (match !== undefined) onMatch(match);
      const last = some.at(-1) ?? 0;
      if (this.#isSpent() && last < rows.length - 1) return behind(place, rows, last);
    }
    return undefined;
  }

  async #match(place: Place, rows: readonly ReadRow[], index: number): Promise<MatchedRow | undefined> {
    const { filter } = this.#plan;
    const { table, row } = rows[index] as ReadRow;
    const start = behind(place, rows, index);
    const isKnown = matchRow(filter, table, row, isPartial(place)) === 'yes';
    if (isKnown && !(isPartial(place) && this.#limits.withPayload === true)) return this.#matched(place, { table, row }, start);
    const whole = await this.#tables.get(table, keyOf(TABLE_SPECS[table], row));
    this.#readUnits += whole === undefined ? 1 : unitsOf(whole);
    // An index lags behind: the job may have left, or come again otherwise.
    const stillMatches = whole !== undefined && matchesRow(filter, table, whole);
    return stillMatches ? this.#matched(place, { table, row: whole }, start) : undefined;
  }

  #matched(place: Place, { table, row }: Pick<ReadRow, 'table' | 'row'>, start: ReadStart): MatchedRow {
    const kept =
      this.#limits.withPayload === true ? row : Object.fromEntries(Object.entries(row).filter(([name]) => !HEAVY.includes(name)));
    this.#bytes += HEAVY.reduce((sum, name) => sum + String(kept[name] ?? '').length, 0);
    this.#gave.add(place);
    const key = keyOf(TABLE_SPECS[table], row);
    return { table, key, row: kept, state: stateOfRow(table, row), cursor: this.#cursor(place, start) };
  }
}

/** Whether the place gives only the columns of an index. */
function isPartial(place: Place): boolean {
  return place.read === 'merge' && place.index !== undefined;
}

/** Where to continue after a row: a scan at the next one, if that was read already. */
function behind(place: Place, rows: readonly ReadRow[], index: number): ReadStart {
  const [row, next] = [rows[index] as ReadRow, rows[index + 1]];
  return place.read === 'scan' && next !== undefined ? { at: next.at } : { after: row.at };
}

function isSameKey(a: RowKey, b: RowKey | undefined): boolean {
  return b !== undefined && Object.entries(a).every(([name, value]) => b[name] === value);
}
