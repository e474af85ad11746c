import { openCount } from '../../shared/features/error-groups/model/error-group.ts';
import type { Tables } from '../../shared/ports/tables.ts';
import { decodeErrorGroup, ERROR_GROUPS } from '../../shared/features/error-groups/store/error-group-rows.ts';
import type { CheckedFilter } from './check-filter.ts';
import { deadLettersByField } from './plan.ts';

const GROUPS = 1_000;

/** Types that have dead letters, according to the error groups; any other type is found by a scan. */
export interface DeadTypes {
  readonly types: readonly string[];
  readonly readUnits: number;
}

/** Undefined if fields of the filter or of all its alternatives serve the list, or there are too many groups to read. */
export async function deadTypes(tables: Tables, filter: CheckedFilter): Promise<DeadTypes | undefined> {
  const { states, values, ids } = filter;
  const [only, another] = states;
  const named = values.type !== undefined || values.fingerprint !== undefined || ids !== undefined;
  const served = named || deadLettersByField(filter) !== undefined;
  if (only !== 'dead' || another !== undefined || served) return undefined;
  const { rows, cursor, readUnits } = await tables.query({ table: 'control', partition: ERROR_GROUPS, limit: GROUPS });
  if (cursor !== undefined) return undefined;
  const open = rows.map(decodeErrorGroup).filter((group) => openCount(group) > 0);
  return { types: [...new Set(open.map(({ type }) => type))].toSorted(), readUnits };
}
