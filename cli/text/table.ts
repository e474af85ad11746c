import type { Style } from './style.ts';
import { plain } from './plain.ts';

/** A cell: text, or text with a style. Users' texts are passed unchanged; the table escapes them. */
export type Cell = string | { readonly text: string; readonly style: Style };

/** A column. If the terminal is too narrow, columns with `gives` are cut to their minimum, then those with `drops` are left out. */
export interface Column {
  readonly head: string;
  readonly right?: true;
  readonly gives?: true;
  /** Columns of the terminal that one that gives keeps. Default 8. */
  readonly least?: number;
  /** May be left out; the highest goes first. */
  readonly drops?: number;
}

/** A list as people read it. */
export interface Sheet {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** Said instead of a table without rows. */
  readonly empty: string;
  /** Lines below. */
  readonly notes?: readonly string[];
}

/** A column that says its cell of each item of a list. */
export interface ListColumn<Item> extends Column {
  readonly cell: (item: Item) => Cell;
}

/** A list of items, each in a row. */
export function listSheet<Item>(
  items: readonly Item[],
  columns: readonly ListColumn<Item>[],
  empty: string,
  notes: readonly string[] = [],
): Sheet {
  return { columns, rows: items.map((item) => columns.map(({ cell }) => cell(item))), empty, notes };
}

/** How a table is printed. `width` undefined: nothing is cut. */
export interface TableTerms {
  readonly width?: number;
  readonly paint: (style: Style, text: string) => string;
}

const GAP = 2;
const LEAST = 8;
const WIDE = /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u;
const segmenter = new Intl.Segmenter();

/** Columns that a text takes on a terminal. */
export function widthOf(text: string): number {
  if (/^[\u0020-\u007e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** The lines of a table, its heads first; no line is wider than the terminal as long as its columns can give or drop. */
export function tableLines(sheet: Pick<Sheet, 'columns' | 'rows'>, terms: TableTerms): readonly string[] {
  const { width } = terms;
  const all = sheet.columns.map((_column, index) => index);
  const kept = width === undefined ? all : fittingColumns(sheet.columns, wantedWidths(sheet), width);
  const pick = <Value>(from: readonly Value[]): readonly Value[] => kept.flatMap((index) => from[index] ?? []);
  return linesOf(kept.length === all.length ? sheet : { columns: pick(sheet.columns), rows: sheet.rows.map(pick) }, terms);
}

const textOf = (cell: Cell): string => plain(typeof cell === 'string' ? cell : cell.text);

/** Row by row: a list may have more rows than a call takes arguments. */
function wantedWidths({ columns, rows }: Pick<Sheet, 'columns' | 'rows'>): readonly number[] {
  return columns.map(({ head }, index) => rows.reduce((most, row) => Math.max(most, widthOf(textOf(row[index] ?? ''))), widthOf(head)));
}

/** The columns that stay, by their places. */
function fittingColumns(columns: readonly Column[], wanted: readonly number[], width: number): readonly number[] {
  let kept = columns.map((_column, index) => index);
  const needed = (index: number): number => {
    const [full = 0, { gives = false, least = LEAST } = {}] = [wanted[index], columns[index]];
    return GAP + (gives ? Math.min(full, least) : full);
  };
  const dropsOf = (index: number): number => columns[index]?.drops ?? 0;
  while (kept.reduce((sum, index) => sum + needed(index), -GAP) > width) {
    const [first = 0] = kept.toSorted((a, b) => dropsOf(b) - dropsOf(a));
    if (dropsOf(first) === 0) break;
    kept = kept.filter((index) => index !== first);
  }
  return kept;
}

function linesOf(sheet: Pick<Sheet, 'columns' | 'rows'>, { width, paint }: TableTerms): readonly string[] {
  const { columns, rows } = sheet;
  const texts = rows.map((row) => row.map(textOf));
  const wanted = wantedWidths(sheet);
  const widths = width === undefined ? wanted : fitted(columns, wanted, width);
  const line = (cells: readonly string[], styles: readonly (Style | undefined)[]): string =>
    cells
      .map((text, index) => {
        const size = widths[index] ?? 0;
        const shown = cut(text, size);
        const filling = ' '.repeat(Math.max(0, size - widthOf(shown)));
        const style = styles[index];
        const painted = style === undefined ? shown : paint(style, shown);
        return columns[index]?.right === true ? filling + painted : painted + (index === cells.length - 1 ? '' : filling);
      })
      .join(' '.repeat(GAP))
      .trimEnd();
  return [
    line(
      columns.map(({ head }) => head),
      columns.map(() => 'head' as const),
    ),
    ...texts.map((row, index) =>
      line(
        row,
        (rows[index] ?? []).map((cell) => (typeof cell === 'string' ? undefined : cell.style)),
      ),
    ),
  ];
}

function fitted(columns: readonly Column[], wanted: readonly number[], width: number): readonly number[] {
  const widths = [...wanted];
  let over = widths.reduce((sum, one) => sum + one, 0) + GAP * (columns.length - 1) - width;
  while (over > 0) {
    const giving = columns
      .map((column, index) => (column.gives === true ? index : -1))
      .filter((index) => (widths[index] ?? 0) > (columns[index]?.least ?? LEAST));
    const widest = giving.toSorted((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))[0];
    if (widest === undefined) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
    over--;
  }
  return widths;
}

function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let shown = '';
  let used = 0;
  for (const { segment } of segmenter.segment(text)) {
    const more = WIDE.test(segment) ? 2 : 1;
    if (used + more > width - 1) break;
    shown += segment;
    used += more;
  }
  return `${shown}…`;
}
