import { defined } from '../../../job/defined.ts';
import { iso } from '../../../job/instant.ts';
import type { OperatorAct, RecordAct } from '../../../ports/operator-act.ts';
import type { Page, Row, RowKey, Tables } from '../../../ports/tables.ts';

const DAY_MS = 86_400_000;
/** How long audit entries are kept. */
export const AUDIT_DAYS = 400;

const dayOf = (at: number): string => iso(at).slice(0, 10);

/** The partition of a day, `2026-01-31`. */
export const auditPartition = (day: string): string => `audit#${day}`;

/** Row of an entry; `token` keeps apart what happened in one millisecond. */
export const auditRow = ({ at, ...entry }: OperatorAct, token: string): Row => ({
  pk: auditPartition(dayOf(at)),
  sk: `${iso(at)}#${token}`,
  ...Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined)),
  expiresAt: Math.ceil((at + AUDIT_DAYS * DAY_MS) / 1000),
});

/** The write of an entry, for the transaction that it documents. */
export const auditWrite: RecordAct = (entry, token) => ({ op: 'put', table: 'control', row: auditRow(entry, token) });

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
