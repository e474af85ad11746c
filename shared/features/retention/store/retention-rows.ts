import { iso } from '../../../job/instant.ts';
import type { Row, RowKey } from '../../../ports/tables.ts';
import { ACQUIRE } from '../../../store/control-rows.ts';
import { MAX_DAYS, type Retention } from '../model/retention.ts';

const RETENTION = 'retention#';
const TYPE = 'type#';

/** A rule of an operator. `scope`: `all`, or `type#` and the name of a type. */
export interface RetentionRule {
  readonly scope: string;
  readonly days: number;
  readonly actor: string;
  readonly at: number;
  readonly reason?: string;
}

/** Row of a rule by its scope. It lies in the partition of the acquire locks, which the sweeper reads in each run: so no rule costs a read of its own. */
export const retentionKey = (scope: string): RowKey => ({ pk: ACQUIRE, sk: `${RETENTION}${scope}` });

/** Row of a rule. */
export const retentionRow = ({ scope, at, ...rule }: RetentionRule): Row => ({ ...retentionKey(scope), ...rule, at: iso(at) });

/** Whether a row of the partition is a rule; the others are locks. */
export const isRetentionRow = (row: Row): boolean => String(row['sk']).startsWith(RETENTION);

/** The scope of a rule. */
export const scopeOfRow = (row: Row): string => String(row['sk']).slice(RETENTION.length);

/** The days of a rule as stored. A damaged one keeps everything, until an operator sets it again. */
export function daysOfRow({ days }: Row): number {
  return Number.isSafeInteger(days) && Number(days) >= 1 && Number(days) <= MAX_DAYS ? Number(days) : Number.POSITIVE_INFINITY;
}

/** What the rows say; `setting`: the days of the deployment for all, which a rule for all overrides. 0: no limit. */
export function retentionOf(rows: readonly Row[], setting: number): Retention {
  const days = new Map(rows.filter(isRetentionRow).map((row) => [scopeOfRow(row), daysOfRow(row)]));
  return {
    all: days.get('all') ?? (setting === 0 ? Number.POSITIVE_INFINITY : setting),
    types: new Map([...days].flatMap(([scope, kept]) => (scope.startsWith(TYPE) ? [[scope.slice(TYPE.length), kept] as const] : []))),
  };
}
