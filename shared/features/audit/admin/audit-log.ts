import { defined } from '../../../job/defined.ts';
import { InvalidInputError } from '../../../job/errors.ts';
import { iso, storedInstant } from '../../../job/instant.ts';
import { checkChosen, checkOptions } from '../../../job/names.ts';
import type { Row, RowKey } from '../../../ports/tables.ts';
import type { OperatorAct } from '../../../ports/operator-act.ts';
import { auditPage, auditPartition } from '../store/audit.ts';
import type { OperatorDeps } from '../../../operator/operator-deps.ts';

/** Which entries of the audit to read. */
export interface AuditOptions {
  /** `2026-01-31`, in UTC. Default: today. */
  readonly day?: string;
  readonly tenant?: string;
  /** Default 100, at most 1,000. */
  readonly limit?: number;
  /** The `next` of an earlier page of the same day. */
  readonly after?: string;
}

/** What an operator did. */
export interface AuditRecord extends Omit<OperatorAct, 'at'> {
  readonly at: Date;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Entries of a day, newest first; with `next` there may be more. */
export interface AuditPage {
  readonly entries: readonly AuditRecord[];
  readonly next?: string;
}

/** What operators did on a day, newest first; kept for 400 days. */
export async function readAudit({ tables, clock }: OperatorDeps, options: AuditOptions = {}): Promise<AuditPage> {
  checkOptions(options, ['day', 'tenant', 'limit', 'after'], 'options');
  const { day = iso(clock.now()).slice(0, 10), limit = 100 } = options;
  if (!DAY.test(day)) throw new InvalidInputError('day', day, 'Use a day in UTC, such as 2026-01-31.');
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > 1_000) {
    throw new InvalidInputError('limit', limit, 'Use a whole number from 1 to 1000.');
  }
  const tenant = checkChosen(options.tenant, 'tenant');
  const entries: AuditRecord[] = [];
  let after: RowKey | undefined =
    options.after === undefined ? undefined : { pk: auditPartition(day), sk: decodeCursor(options.after, day) };
  let last = '';
  do {
    const page = await auditPage(tables, day, { limit: 1_000, ...defined({ after }) });
    for (const row of page.rows) {
      if (tenant !== undefined && row['tenant'] !== tenant) continue;
      if (entries.length >= limit) return { entries, next: Buffer.from(last).toString('base64url') };
      last = String(row['sk']);
      entries.push(recordOf(row));
    }
    after = page.cursor;
  } while (after !== undefined);
  return { entries };
}

/** An entry as it is shown. */
export function recordOf({ pk: _pk, sk, expiresAt: _expires, ...entry }: Row): AuditRecord {
  const at = new Date(storedInstant(String(sk).split('#')[0]) ?? 0);
  return { ...entry, verb: String(entry['verb']), actor: String(entry['actor']), at };
}

/** A cursor is the sort key of the last entry: that of another day would begin anywhere. */
function decodeCursor(after: unknown, day: string): string {
  const key = typeof after === 'string' ? Buffer.from(after, 'base64url').toString() : '';
  if (key.startsWith(`${day}T`)) return key;
  throw new InvalidInputError('after', after, 'Give the `next` of an earlier page of the same day.');
}
