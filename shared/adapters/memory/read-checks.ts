import { type IndexSpec, TABLE_SPECS } from '../../ports/table-spec.ts';
import type { Query, Scan } from '../../ports/tables.ts';
import { compareTexts } from './condition.ts';
import { checkCondition, refused } from './write-checks.ts';

/** Refuses a query that DynamoDB would refuse; gives back its index, if it names one. */
export function checkQuery(query: Query): IndexSpec | undefined {
  const spec = TABLE_SPECS[query.table];
  const index = query.index === undefined ? undefined : spec.indexes[query.index];
  if (query.index !== undefined && index === undefined) throw refused('query', `table ${query.table} has no index ${query.index}`);
  if (index !== undefined && query.consistent) throw refused('query', 'an index cannot be read consistently');
  if ([query.partition, query.from, query.through].includes('')) throw refused('query', 'a key is never an empty string');
  if ((index ?? spec).sort === undefined && (query.from ?? query.through) !== undefined) {
    throw refused('query', `table ${query.table} has no sort key`);
  }
  if (query.from !== undefined && query.through !== undefined && compareTexts(query.from, query.through) > 0) {
    throw refused('query', 'from lies behind through');
  }
  checkLimit(query);
  return index;
}

/** Refuses a scan that DynamoDB would refuse. */
export function checkScan(scan: Scan): void {
  if (scan.filter !== undefined) checkCondition('scan', scan.filter);
  if (scan.segment < 0 || scan.segment >= scan.segments) throw refused('scan', `segment ${scan.segment} is not below ${scan.segments}`);
  checkLimit(scan);
}

function checkLimit({ limit }: { readonly limit: number }): void {
  if (!Number.isInteger(limit) || limit < 1) throw refused('page', `limit ${limit} is not 1 or more`);
}
