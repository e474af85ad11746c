import { defined } from '../../../core/defined.ts';
import { iso } from '../../../core/instant.ts';
import type { Page, Row, RowKey, Tables, Write } from '../../../ports/tables.ts';

const DAY_MS = 86_400_000;
/** How long it is kept who did what. */
export const AUDIT_DAYS = 400;

/** What an operator did. `at` is epoch milliseconds. */
export interface AuditEntry {
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

const dayOf = (at: number): string => iso(at).slice(0, 10);

/** The partition of a day, `2026-01-31`. */
export const auditPartition = (day: string): string => `audit#${day}`;

/** Row of an entry; `token` keeps apart what happened in one millisecond. */
export const auditRow = ({ at, ...entry }: AuditEntry, token: string): Row => ({
  pk: auditPartition(dayOf(at)),
  sk: `${iso(at)}#${token}`,
  ...Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined)),
  expiresAt: Math.ceil((at + AUDIT_DAYS * DAY_MS) / 1000),
});

/** The write of an entry, for the transaction of what it tells. */
export const auditWrite = (entry: AuditEntry, token: string): Write => ({ op: 'put', table: 'control', row: auditRow(entry, token) });

/** Writes an entry for a verb whose own transaction is somewhere else. */
export async function audit(tables: Tables, entry: AuditEntry, token: string): Promise<void> {
  await tables.write({ op: 'put', table: 'control', row: auditRow(entry, token) });
}

/** A page of a day's entries, newest first. */
export async function auditPage(
  tables: Tables,
  day: string,
  { limit, after }: { readonly limit: number; readonly after?: RowKey },
): Promise<Page> {
  return tables.query({
    table: 'control',
    partition: auditPartition(day),
    limit,
    newestFirst: true,
    ...defined({ after }),
  });
}
