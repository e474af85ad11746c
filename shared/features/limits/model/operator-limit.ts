import type { Scalar } from '../../../job/job.ts';
import { MAX_SLOTS } from '../../../job/limit.ts';

/** The rows that executors read with the rules, by sort key. */
export type RuleRows = ReadonlyMap<string, Readonly<Record<string, Scalar>>>;

/** A limit with its number; `coded` is that of the code, once an operator's may be in force. */
interface Numbered {
  readonly name: string;
  readonly n: number;
  readonly coded?: number;
}

/** Sort key of an operator's number among the rules. */
export const limitSort = (name: string): string => `limit#${name}`;

/** Whether an operator may set a limit to it: 0 lets nothing start. */
export const isSlotCount = (n: unknown): n is number => Number.isSafeInteger(n) && Number(n) >= 0 && Number(n) <= MAX_SLOTS;

/** A limit with the number that is in force: the operator's, or that of the code. One that cannot be read is none. */
export function inForce<One extends Numbered>(limit: One, rows: RuleRows): One & { readonly coded: number } {
  const { coded = limit.n } = limit;
  const n = rows.get(limitSort(limit.name))?.['n'];
  return { ...limit, coded, n: isSlotCount(n) ? n : coded };
}

/** The limit that a sort key among the rules is about; undefined for every other row. */
export const limitName = (sk: string): string | undefined => (sk.startsWith(limitSort('')) ? sk.slice(limitSort('').length) : undefined);
