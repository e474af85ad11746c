import type { Scalar } from '../job/job.ts';

/** The six tables. */
export type TableName = 'jobs' | 'timers' | 'deadLetters' | 'suspended' | 'control' | 'history';

/** A row as it is stored: flat, scalars only. */
export type Row = Readonly<Record<string, Scalar>>;

/** A row's primary key: exactly the key attributes of its table. */
export type RowKey = Readonly<Record<string, string>>;

/**
 * A condition on the row as it is before the write. A comparison with an absent attribute is false, `absent` is true,
 * as in DynamoDB. `atMost` compares texts by bytes and numbers by value.
 */
export type Condition =
  | { readonly test: 'absent' | 'present'; readonly attribute: string }
  | { readonly test: 'equals' | 'beginsWith' | 'atMost'; readonly attribute: string; readonly value: Scalar }
  | { readonly test: 'all' | 'any'; readonly of: readonly Condition[] };

/** One write to one row. Every write of a transaction names another row. */
export type Write =
  | { readonly op: 'put'; readonly table: TableName; readonly row: Row; readonly condition?: Condition }
  | {
      readonly op: 'update';
      readonly table: TableName;
      readonly key: RowKey;
      readonly set: Row;
      readonly remove?: readonly string[];
      /** Numbers added to attributes; an absent attribute counts as 0. */
      readonly add?: Readonly<Record<string, number>>;
      readonly condition?: Condition;
    }
  | { readonly op: 'delete' | 'check'; readonly table: TableName; readonly key: RowKey; readonly condition?: Condition };

/**
 * A single write: a check writes nothing, so it is only allowed in transactions. A `quiet` delete does not return the old row, whose
 * way through the SDK is a tenth of what a plain job costs its executor; a row that makes the condition fail is still returned.
 */
export type SingleWrite = Exclude<Write, { readonly op: 'delete' | 'check' }> | (Write & { readonly op: 'delete'; readonly quiet?: true });

/**
 * What came of a single write. `attempts` counts the request that was answered and those before it that may have been applied: with
 * more than one, a condition that failed may have failed on this very write. Attempts that were certainly refused do not count.
 */
export type WriteOutcome =
  /** `row`: the new row of an update, the old row of a delete that is not quiet. */
  | { readonly applied: true; readonly row?: Row; readonly attempts: number }
  /** `row`: the row that made the condition fail; absent when there is none. */
  | { readonly applied: false; readonly row?: Row; readonly attempts: number };

/** Why one write of a cancelled transaction was not applied; `none` for those that would have been. */
export type CancelReason = { readonly code: 'none' } | { readonly code: 'condition'; readonly row?: Row } | { readonly code: 'conflict' };

/** All writes applied, or none and a reason for each, in order: the loser of a race gets the rows that it met. */
export type TransactOutcome =
  | { readonly applied: true; readonly attempts: number }
  | { readonly applied: false; readonly reasons: readonly CancelReason[]; readonly attempts: number };

/** A page of rows. `cursor` is absent on the last page; a page may be empty and not the last. */
export interface Page {
  readonly rows: readonly Row[];
  readonly cursor?: RowKey;
  /** Read units that the page consumed. */
  readonly readUnits: number;
  /** Rows that were read, including those that a filter removed; absent if they are not counted. */
  readonly scanned?: number;
}

/** Rows of one partition in sort-key order. `through` is the last sort key taken. */
export interface Query {
  readonly table: TableName;
  readonly index?: string;
  readonly partition: string;
  readonly from?: string;
  readonly through?: string;
  readonly limit: number;
  readonly consistent?: boolean;
  readonly newestFirst?: boolean;
  readonly after?: RowKey;
}

/** One page of one segment of a whole table, eventually consistent unless it says otherwise, with a filter that saves bytes, not read units. */
export interface Scan {
  readonly table: TableName;
  readonly segment: number;
  readonly segments: number;
  readonly limit: number;
  readonly filter?: Condition;
  /** Each row as it is when it is read; twice the read units. */
  readonly consistent?: boolean;
  readonly after?: RowKey;
}

/** For writes that nothing fences: no attempt starts later than this (epoch milliseconds). */
export interface WriteWindow {
  readonly notAfter?: number;
}

/** Options of a transaction. */
export interface TransactTerms extends WriteWindow {
  /**
   * A user's own items, in the form in which the store's client takes them (TransactWriteItem of the AWS SDK): applied with the
   * writes or not at all. Their cancellation reasons follow those of the writes.
   */
  readonly beside?: readonly unknown[];
}

/**
 * The tables, as DynamoDB offers them and no more: conditional writes, transactions, reads. It decides nothing; verbs are
 * built on it in `store/`.
 *
 * Every method may throw StoreUnavailableError (throttled, timed out: nothing is known about a write) or StoreRefusedError
 * (nothing was written, no row of it). A failed condition is an answer, never an error.
 */
export interface Tables {
  /** The row as of the last write that was answered; undefined if there is none. */
  get(table: TableName, key: RowKey): Promise<Row | undefined>;
  /**
   * Tests the condition and changes the row in one step. The loser of a race gets `applied: false` with the row that it met, or without
   * one if there is none. Throws StoreUnavailableError, and writes nothing, after the window has closed.
   */
  write(write: SingleWrite, window?: WriteWindow): Promise<WriteOutcome>;
  /**
   * At most 100 writes and 4 MB. `token` names the logical attempt: the same token and writes within ten minutes are applied
   * once. Conflicts with other transactions are tried again a few times, then reported as reasons. Throws StoreUnavailableError, and
   * reports no reasons, if an earlier attempt may have been applied and only conflicts are left, which prove nothing; or if that attempt
   * was so long ago that its token is forgotten: the reasons may result from it.
   */
  transact(writes: readonly Write[], token: string, terms?: TransactTerms): Promise<TransactOutcome>;
  /**
   * Puts without conditions, in any number; returns the rows that may not have been written. Rows travel in the
   * batches of `batchesOf`, and a batch is refused as a whole: its rows are given back if another batch was written. Throws
   * StoreRefusedError only if no row was written.
   */
  putAll(table: TableName, rows: readonly Row[], window?: WriteWindow): Promise<readonly Row[]>;
  /** One page of a partition, or of a partition of an index, which shows its projection only and leaves out rows without its keys. */
  query(query: Query): Promise<Page>;
  /** One page of a segment, in an order of the store's own. All pages of all segments contain each row that stays during the scan exactly once. */
  scan(scan: Scan): Promise<Page>;
}
