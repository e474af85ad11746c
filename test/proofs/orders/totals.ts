import type { BrokenOrder, PairReport } from './walk-pair.ts';

/** What walks of many pairs came to. */
export interface Totals {
  pairs: number;
  walks: number;
  orders: number;
  pruned: number;
  capped: number;
  readonly cappedPairs: { readonly pair: string; readonly walks: number; readonly share: number }[];
  readonly broken: BrokenOrder[];
}

export const noTotals = (): Totals => ({ pairs: 0, walks: 0, orders: 0, pruned: 0, capped: 0, cappedPairs: [], broken: [] });

export function addReport(totals: Totals, { pair, walks, orders, pruned, capped, cappedShare, broken }: PairReport): void {
  totals.pairs++;
  totals.walks += walks;
  totals.orders += orders;
  totals.pruned += pruned;
  totals.capped += capped;
  if (capped > 0) totals.cappedPairs.push({ pair, walks: capped, share: cappedShare });
  totals.broken.push(...broken);
}
