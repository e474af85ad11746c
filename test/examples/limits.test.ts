import { describe, expect, it } from 'vitest';
import { chargeCard, exportOrders, paymentHandlers, providerIsBack, providerIsDown } from '../../examples/limits/payments.ts';
import { createTestKit } from '../../testing/index.ts';

/** A provider and an exporter that note what happens when, and how many of a customer's exports run at once. */
function notedPayments() {
  const charged: string[] = [];
  const exported: string[] = [];
  const running = new Map<string, number>();
  let most = 0;
  let mostOfOne = 0;
  return {
    charged,
    exported,
    most: () => most,
    mostOfOne: () => mostOfOne,
    async charge(customerId: string): Promise<void> {
      charged.push(customerId);
    },
    async exportOrders(customerId: string): Promise<void> {
      running.set(customerId, (running.get(customerId) ?? 0) + 1);
      most = Math.max(
        most,
        [...running.values()].reduce((sum, count) => sum + count, 0),
      );
      mostOfOne = Math.max(mostOfOne, ...running.values());
      for (let turns = 0; turns < 100; turns++) await new Promise((resolve) => setImmediate(resolve));
      running.set(customerId, (running.get(customerId) ?? 0) - 1);
      exported.push(customerId);
    },
  };
}

describe('the payments of examples/limits', () => {
  it('call the provider twice a minute, and no charge costs a try', async () => {
    const payments = notedPayments();
    const kit = createTestKit(paymentHandlers(payments));
    const { ids } = await kit.client.enqueueMany(
      chargeCard,
      ['a', 'b', 'c', 'd', 'e'].map((customerId) => ({ customerId, cents: 100 })),
    );
    await kit.drain();
    expect(payments.charged).toHaveLength(2);
    await kit.advance('PT59S');
    expect(payments.charged).toHaveLength(2);
    await kit.advance('PT3S');
    expect(payments.charged).toHaveLength(4);
    await kit.advance('PT1M2S');
    expect(payments.charged.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
    for (const id of ids) expect(await kit.job(id ?? '')).toMatchObject({ state: 'finished', attempts: 1, failures: 0 });
  });

  it('wait while an operator has stopped the provider, at no cost of a try, and go on when that is over', async () => {
    const payments = notedPayments();
    const kit = createTestKit(paymentHandlers(payments));
    await providerIsDown(kit.admin);
    const { id } = await kit.client.enqueue(chargeCard, { customerId: 'a', cents: 100 });
    await kit.advance('PT10M');
    expect(payments.charged).toEqual([]);
    await providerIsBack(kit.admin);
    await kit.advance('PT2M');
    expect(payments.charged).toEqual(['a']);
    expect(await kit.admin.find(id)).toMatchObject({ outcome: 'completed', attempts: 1, failures: 0 });
  });

  it('export for each customer one after the other, and for several at once', async () => {
    const payments = notedPayments();
    const kit = createTestKit(paymentHandlers(payments), { settings: { batchConcurrency: 10 } });
    await kit.client.enqueueMany(
      exportOrders,
      ['a', 'a', 'a', 'b', 'b'].map((customerId) => ({ customerId })),
    );
    await kit.drain();
    expect(payments.exported.toSorted()).toEqual(['a', 'a', 'a', 'b', 'b']);
    expect(payments.mostOfOne()).toBe(1);
    expect(payments.most()).toBe(2);
  });

  it('keep a tenant from taking the whole worker', async () => {
    const payments = notedPayments();
    const kit = createTestKit(paymentHandlers(payments), { settings: { batchConcurrency: 10 }, tenantConcurrency: 2 });
    const customers = ['a', 'b', 'c', 'd', 'e'].map((customerId) => ({ customerId }));
    await kit.client.enqueueMany(exportOrders, customers, { tenant: 'acme' });
    await kit.drain();
    expect(payments.exported).toHaveLength(5);
    expect(payments.most()).toBe(2);
  });
});
