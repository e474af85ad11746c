import type { ContractCheck, TablesSubject } from './contract.ts';
import { CONDITIONS } from './tables-conditions.ts';
import { QUERIES, SCANS } from './tables-pages.ts';
import { REFUSALS } from './tables-refusals.ts';
import { TRANSACTIONS } from './tables-transactions.ts';
import { CONCURRENT_WRITES, SINGLE_WRITES } from './tables-writes.ts';

/**
 * Everything that the port `Tables` promises, as checks for any test runner:
 * `for (const { title, check } of tablesContract) test(title, async () => check({ tables: await openEmptyTables(), now }))`.
 */
export const tablesContract: readonly ContractCheck<TablesSubject>[] = [
  ...SINGLE_WRITES,
  ...CONCURRENT_WRITES,
  ...CONDITIONS,
  ...REFUSALS,
  ...TRANSACTIONS,
  ...QUERIES,
  ...SCANS,
];
