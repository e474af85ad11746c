import { html } from 'hono/html';
import { defined } from '../../shared/job/defined.ts';
import type { Html } from '../page.ts';

/** The content of a cell; texts are escaped. */
export type Cell = Html | string | number | undefined;

/** A column; `number` is set to the right. */
export interface Column {
  readonly label: string;
  readonly kind?: 'text' | 'number' | 'actions';
}

/** A row; `href` is where Enter goes when the row is chosen with j and k. `select`: value of its checkbox. */
export interface TableRow {
  readonly cells: readonly Cell[];
  readonly href?: string;
  readonly select?: string;
}

/** The parts of a table. `id` is unique on the page: it keeps scroll position and selection across refreshes. */
export interface TableProps {
  readonly id: string;
  /** Describes the rows, for all readers and for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly TableRow[];
  /** Shown instead of a table without rows. */
  readonly empty: Html;
}

/** A column of a list of items, with the cell that it has of each. */
export type ListColumn<Item> = readonly [label: string, cell: (item: Item) => Cell, kind?: Column['kind']];

/** The items of a list, each in a row; `href` and `select` as in a row. */
interface ListProps<Item> extends Pick<TableProps, 'id' | 'caption' | 'empty'> {
  readonly items: readonly Item[];
  readonly columns: readonly ListColumn<Item>[];
  readonly href?: (item: Item) => string;
  readonly select?: ((item: Item) => string) | undefined;
}

/** A table of items. */
export function list<Item>({ items, columns, href, select, ...props }: ListProps<Item>): Html {
  return table({
    ...props,
    columns: columns.map(([label, , kind = 'text']) => ({ label, kind })),
    rows: items.map((item) => ({
      cells: columns.map(([, cell]) => cell(item)),
      ...defined({ href: href?.(item), select: select?.(item) }),
    })),
  });
}

/** Rows under their columns; at a phone's width each row is a card. Checkboxes are there when a row has `select`. */
export function table({ id, caption, columns, rows, empty }: TableProps): Html {
  if (rows.length === 0) return empty;
  const choosing = rows.some((row) => row.select !== undefined);
  return html`<div class="scroll" id="${id}" tabindex="0" role="group" aria-label="${caption}">
    <table data-table>
      <caption class="unseen">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${
            choosing ? html`<th scope="col" class="choose"><input type="checkbox" data-select-all aria-label="Select all rows" /></th>` : ''
          }
          ${columns.map((column) => html`<th scope="col" class="${column.kind ?? 'text'}">${column.label === '' ? html`<span class="unseen">Actions</span>` : column.label}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) => rowOf(row, columns, choosing))}
      </tbody>
    </table>
  </div>`;
}

function rowOf(row: TableRow, columns: readonly Column[], choosing: boolean): Html {
  const choose =
    row.select === undefined ? '' : html`<input type="checkbox" data-select value="${row.select}" aria-label="Select ${row.select}" />`;
  return html`<tr data-href="${row.href ?? ''}">
    ${choosing ? html`<td class="choose">${choose}</td>` : ''}
    ${columns.map(
      (column, index) =>
        html`<td class="${column.kind ?? 'text'}" data-label="${column.label}">
          <div class="cell">${row.cells[index] ?? html`<span class="none">-</span>`}</div>
        </td>`,
    )}
  </tr>`;
}
