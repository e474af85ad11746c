import { FREE_TIERS, type Price, PRICES, type PriceName } from './prices.ts';

/** The part of the bill: jobs, the idle stack, or monitoring. */
export type BillPart = 'jobs' | 'idle' | 'watching';

/** A quantity and its cost in US dollars. */
export interface BillLine {
  readonly part: BillPart;
  readonly what: string;
  readonly price: PriceName;
  readonly amount: number;
  readonly usd: number;
}

/** A line at the list price. */
export function billLine(part: BillPart, what: string, price: PriceName, amount: number): BillLine {
  return { part, what, price, amount, usd: dollars(price, amount) };
}

/** The cost of a quantity. */
export function dollars(price: PriceName, amount: number): number {
  const { usd, per }: Price = PRICES[price];
  return (amount * usd) / per;
}

/** The sum of lines, not rounded. */
export function total(lines: readonly BillLine[]): number {
  return lines.reduce((sum, { usd }) => sum + usd, 0);
}

/** The same lines where the account uses its free tiers for nothing else: the first lines of a kind are free first. */
export function withFreeTiers(lines: readonly BillLine[]): readonly BillLine[] {
  const left = FREE_TIERS.map(({ of, amount }) => ({ of, amount }));
  return lines.map((line) => {
    const tier = left.find(({ of }) => of.includes(line.price));
    if (tier === undefined) return line;
    const free = Math.min(tier.amount, line.amount);
    tier.amount -= free;
    return { ...line, usd: dollars(line.price, line.amount - free) };
  });
}
