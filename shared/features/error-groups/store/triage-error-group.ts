import type { Row, Tables, Write } from '../../../ports/tables.ts';
import { tryTransact } from '../../../store/transact.ts';
import { errorGroupKey } from './error-group-rows.ts';

/** What an operator says about an error group: attributes that are set and removed. */
export interface Triage {
  readonly set: Row;
  readonly remove: readonly string[];
}

/**
 * Writes it in one transaction with the entry of the audit; false if there is no such group. Executors that count deaths at the same time keep it: they write other
 * attributes.
 */
export async function triageGroup(
  tables: Tables,
  fingerprint: string,
  { set, remove }: Triage,
  { audit, token }: { readonly audit: readonly Write[]; readonly token: string },
): Promise<boolean> {
  const key = errorGroupKey(fingerprint);
  const group: Write = { op: 'update', table: 'control', key, set, remove, condition: { test: 'present', attribute: 'lastSeen' } };
  const outcome = await tryTransact(tables, token, { group, audit });
  if (outcome.applied) return true;
  if (outcome.failed('group')) return false;
  throw outcome.error();
}
