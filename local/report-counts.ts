import { systemClock } from '../shared/adapters/system.ts';
import { countStates } from './shop/job-places.ts';
import type { Shop } from './shop/shop.ts';

/** What is counted, and where the lines go. */
export interface ReportOptions {
  readonly shop: Shop;
  readonly orders: () => number;
  readonly write: (text: string) => void;
  readonly signal: AbortSignal;
}

const EVERY_MS = 5_000;

/** Writes a line of counts every five seconds until `signal` aborts. The console shows the rest. */
export async function reportCounts({ shop, orders, write, signal }: ReportOptions): Promise<void> {
  const startedAt = systemClock.now();
  while (!signal.aborted) {
    const line = await countLine(shop, orders()).catch(silentText);
    if (signal.aborted) return;
    const seconds = Math.round((systemClock.now() - startedAt) / 1000);
    write(`${String(seconds).padStart(5)} s  ${line}\n`);
    await systemClock.wait(EVERY_MS, signal);
  }
}

async function countLine({ ledger, region }: Shop, orders: number): Promise<string> {
  const counts = await countStates(region.dynamo, region.tables);
  const ends = { completed: ledger.counts.get('completed') ?? 0, cancelled: ledger.cancellations };
  return Object.entries({ orders, ...counts, ...ends })
    .map(([name, count]) => `${name} ${count}`)
    .join('  ');
}

function silentText(error: unknown): string {
  const why = error instanceof Error ? error.name : 'unknown';
  return `DynamoDB of this region does not answer (${why}), so nothing runs. If it stays so, Ctrl-C and start again.`;
}
