import { CUSTOMER_BROKEN, CUSTOMER_GONE } from '../../examples/order-service/webhook-receiver.ts';
import { systemClock } from '../../shared/adapters/system.ts';
import { seededEntropy } from '../../shared/adapters/memory/seeded-entropy.ts';
import { askForReport, type OrderPlan, payOrder, placeOrder } from './order-customer.ts';
import type { Shop } from './shop.ts';

/** How the shop is kept busy. */
export interface TrafficOptions {
  /** Orders per second. */
  readonly rate: number;
  /** Ends after this many orders; without it, when `signal` aborts. */
  readonly orders?: number;
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly onProblem: (what: string, error: unknown) => void;
}

/** Running traffic. */
export interface Traffic {
  readonly orders: number;
  /** Resolves when no more orders come and pending ones have been answered. */
  readonly done: Promise<void>;
}

const CUSTOMERS = 8;
const REPORT_EVERY_MS = 15_000;
/** Requests without an answer, above which orders are left out: the region is busy enough. */
const MAX_PENDING = 200;

/** Starts to place orders at an even rate; two of three are paid after one to four seconds, a few end as dead letters. */
export function startTraffic(shop: Shop, options: TrafficOptions): Traffic {
  const pending = new Set<Promise<void>>();
  const entropy = seededEntropy(options.seed);
  const random = (): number => entropy.random();
  let orders = 0;
  const launch = (what: string, work: Promise<unknown>): void => {
    const ending: Promise<void> = work
      .then(
        () => undefined,
        (error: unknown) => options.onProblem(what, error),
      )
      .finally(() => pending.delete(ending));
    pending.add(ending);
  };
  const loop = async (): Promise<void> => {
    const startedAt = systemClock.now();
    let nextReport = startedAt + REPORT_EVERY_MS;
    while (!options.signal.aborted && orders < (options.orders ?? Infinity)) {
      if (pending.size < MAX_PENDING) {
        const plan = drawPlan(orders, random);
        orders += 1;
        launch('order', live(shop, plan, 1_000 + random() * 3_000, options.signal));
      }
      if (systemClock.now() >= nextReport) {
        nextReport += REPORT_EVERY_MS;
        launch('report', askForReport(shop, new Date(systemClock.now()).toISOString().slice(0, 10)));
      }
      await systemClock.wait(startedAt + (orders * 1000) / options.rate - systemClock.now(), options.signal);
    }
    await Promise.all(pending);
  };
  const done = loop();
  return {
    get orders() {
      return orders;
    },
    done,
  };
}

function drawPlan(n: number, random: () => number): OrderPlan {
  const luck = random();
  return {
    orderId: `order-${String(n).padStart(6, '0')}`,
    customer: luck < 0.02 ? CUSTOMER_GONE : luck < 0.04 ? CUSTOMER_BROKEN : `customer-${Math.floor(random() * CUSTOMERS)}`,
    amountCents: luck > 0.98 ? 0 : 500 + Math.floor(random() * 50_000),
    paid: random() < 0.66,
  };
}

async function live(shop: Shop, plan: OrderPlan, payAfterMs: number, signal: AbortSignal): Promise<void> {
  await placeOrder(shop, plan);
  if (!plan.paid) return;
  await systemClock.wait(payAfterMs, signal);
  if (!signal.aborted) await payOrder(shop, plan);
}
