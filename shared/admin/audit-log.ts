import { InvalidInputError } from '../core/errors.ts';
import { iso, storedInstant } from '../core/instant.ts';
import { checkOptions, checkText } from '../core/names.ts';
import type { RowKey } from '../ports/tables.ts';
import { type AuditEntry, auditPage } from '../store/audit.ts';
import type { AdminParts } from './admin.ts';

/** Which entries of the audit to read. */
export interface AuditOptions {
  /** `2026-01-31`, in UTC. Default: today. */
  readonly day?: string;
  readonly tenant?: string;
  /** Default 100, at most 1,000. */
  readonly limit?: number;
}

/** What an operator did. */
export interface AuditRecord extends Omit<AuditEntry, 'at'> {
  readonly at: Date;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** What operators did on a day, newest first; kept for 400 days. */
export async function readAudit({ tables, clock }: AdminParts, options: AuditOptions = {}): Promise<readonly AuditRecord[]> {
  checkOptions(options, ['day', 'tenant', 'limit'], 'options');
  const { day = iso(clock.now()).slice(0, 10), limit = 100 } = options;
  if (!DAY.test(day)) throw new InvalidInputError('day', day, 'Use a day in UTC, such as 2026-01-31.');
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > 1_000) {
    throw new InvalidInputError('limit', limit, 'Use a whole number from 1 to 1000.');
  }
  const tenant = checkText(options.tenant, 'tenant');
  const records: AuditRecord[] = [];
  let after: RowKey | undefined;
  do {
    const page = await auditPage(tables, day, { limit: 1_000, ...(after === undefined ? {} : { after }) });
    for (const row of page.rows) {
      if (records.length >= limit) break;
      if (tenant !== undefined && row['tenant'] !== tenant) continue;
      const { pk: _pk, sk, expiresAt: _expires, ...entry } = row;
      const at = new Date(storedInstant(String(sk).split('#')[0]) ?? 0);
      records.push({ ...entry, verb: String(entry['verb']), actor: String(entry['actor']), at });
    }
    after = page.cursor;
  } while (after !== undefined && records.length < limit);
  return records;
}
