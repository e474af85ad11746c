import type { Write } from './tables.ts';

/** What an operator did. `at` is epoch milliseconds. */
export interface OperatorAct {
  readonly verb: string;
  readonly actor: string;
  readonly at: number;
  /** The scope or filter of what concerns many jobs. */
  readonly scope?: string;
  readonly jobId?: string;
  readonly type?: string;
  readonly tenant?: string;
  readonly reason?: string;
  /** What else was said, such as the new priority. */
  readonly detail?: string;
}

/** The write that records an act. */
export type ActRecord = Extract<Write, { readonly op: 'put' }>;

/** Makes the record of an act; `token` keeps apart what happened in one millisecond. */
export type RecordAct = (act: OperatorAct, token: string) => ActRecord;
