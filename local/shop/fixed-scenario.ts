import { CUSTOMER_BROKEN, CUSTOMER_GONE } from '../../examples/order-service/webhook-receiver.ts';
import { systemClock } from '../../shared/adapters/system.ts';
import { type Audit, auditShop } from './audit.ts';
import { countStates, type StateCounts } from './job-places.ts';
import { askForReport, type OrderPlan, payOrder, placeOrder } from './order-customer.ts';
import type { Shop } from './shop.ts';

/** How the scenario is played. */
export interface ScenarioOptions {
  readonly orders: number;
  /** Orders placed per second. */
  readonly rate: number;
  readonly signal: AbortSignal;
  /** Called now and then with the remaining work. */
  readonly onProgress?: (counts: StateCounts) => void;
}

/** The result. `reportRefused`: the second report of the day was refused by the key of the first. */
export interface ScenarioResult {
  readonly audit: Audit;
  readonly reportRefused: boolean;
  readonly orders: number;
  readonly ms: number;
}

/** Beyond placing: retries of broken webhooks, reminders, and a sweep or two on a slow machine. */
const SETTLE_MS = 90_000;
const POLL_MS = 250;

/** The n-th order of the scenario: of ten, one goes to a customer that is gone, one to a broken one, one has no amount, three stay unpaid. */
export function planOf(n: number): OrderPlan {
  const kind = n % 10;
  const customer = kind === 3 ? CUSTOMER_GONE : kind === 7 ? CUSTOMER_BROKEN : `customer-${n % 4}`;
  return {
    orderId: `order-${String(n).padStart(4, '0')}`,
    customer,
    amountCents: kind === 5 ? 0 : 1_000 + n * 37,
    paid: ![1, 5, 8].includes(kind),
  };
}

/** Plays the orders, waits until every job has ended (bounded), and judges where each ended. */
export async function playScenario(shop: Shop, options: ScenarioOptions): Promise<ScenarioResult> {
  const startedAt = systemClock.now();
  const day = new Date(startedAt).toISOString().slice(0, 10);
  const plans = Array.from({ length: options.orders }, (_, n) => planOf(n));
  const playing: Promise<void>[] = [];
  for (const plan of plans) {
    if (options.signal.aborted) break;
    playing.push(play(shop, plan));
    await systemClock.wait(1000 / options.rate, options.signal);
  }
  await Promise.all(playing);
  await askForReport(shop, day);
  const reportRefused = !(await askForReport(shop, day));
  await settle(shop, options);
  return { audit: await auditShop(shop), reportRefused, orders: plans.length, ms: systemClock.now() - startedAt };
}

async function play(shop: Shop, plan: OrderPlan): Promise<void> {
  await placeOrder(shop, plan);
  if (plan.paid) await payOrder(shop, plan);
}

async function settle(shop: Shop, { signal, onProgress }: ScenarioOptions): Promise<void> {
  const until = systemClock.now() + SETTLE_MS;
  while (systemClock.now() < until && !signal.aborted) {
    const counts = await countStates(shop.region.dynamo, shop.region.tables);
    onProgress?.(counts);
    // A completion is journalled just after its row is gone, so the journal must have caught up as well.
    const { waiting, ready, running, suspended } = counts;
    if (waiting + ready + running + suspended + shop.ledger.running.length === 0 && (await auditShop(shop)).lost === 0) return;
    await systemClock.wait(POLL_MS, signal);
  }
}
