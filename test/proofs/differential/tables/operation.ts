import type { Condition, Query, Row, RowKey, SingleWrite, TableName, Write } from '../../../../shared/ports/tables.ts';

/** How the store is made to behave during a write. */
export interface Trouble {
  /** The write window has closed. */
  readonly closed?: true;
  /** How many times in a row the first row is in another transaction's hands; from 6 on, longer than the adapter tries. */
  readonly conflicts?: number;
}

/** One call of the port. Its keys and rows come from a small space, so that operations meet each other. */
export type Operation =
  | { readonly op: 'get'; readonly table: TableName; readonly key: RowKey }
  | { readonly op: 'write'; readonly write: SingleWrite; readonly trouble?: Trouble }
  | { readonly op: 'transact'; readonly writes: readonly Write[]; readonly token: string; readonly trouble?: Trouble }
  /** The last transaction once more, under its token. */
  | { readonly op: 'again' }
  | { readonly op: 'putAll'; readonly table: TableName; readonly rows: readonly Row[]; readonly closed?: true }
  /** One page, or with `walk` all pages by their cursors. */
  | { readonly op: 'query'; readonly query: Query; readonly walk: boolean }
  /** All pages of all segments: the distribution of rows over segments is up to the store. */
  | { readonly op: 'scan'; readonly table: TableName; readonly segments: number; readonly limit: number; readonly filter?: Condition }
  /** A page of a segment that there is not. */
  | { readonly op: 'scan-nowhere'; readonly table: TableName; readonly segment: number; readonly segments: number };
