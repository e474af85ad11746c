import { beforeEach, expect, test, vi } from 'vitest';
import { chargeCard, orderHandlers, placeOrder, remindOfPayment, sendReceipt } from '../../examples/test-kit/orders.ts';
import { createTestKit, type TestKit } from '../../testing/index.ts';

const charge = vi.fn<(orderId: string) => 'paid' | 'refused'>();
const mail = vi.fn<(text: string) => void>();
let kit: TestKit;

beforeEach(() => {
  vi.resetAllMocks();
  charge.mockReturnValue('paid');
  kit = createTestKit(orderHandlers({ charge, mail }));
  // What createJobClient() made in orders.ts uses the kit from here on; the answer, which Vitest calls, ends that.
  return kit.install();
});

test('an order is charged at once, and reminded of in three days', async () => {
  await placeOrder('A1');
  expect(kit.enqueued(chargeCard)).toMatchObject([{ payload: { orderId: 'A1' }, key: 'A1' }]);
  expect(kit.enqueued(remindOfPayment)).toMatchObject([{ dueAt: new Date('2026-01-04T00:00:00Z') }]);
});

test('an order placed twice is charged once', async () => {
  await placeOrder('A1');
  await placeOrder('A1');
  expect(await kit.drain()).toMatchObject({ completed: 2 });
  expect(charge).toHaveBeenCalledTimes(1);
});

test('a paid order gets a receipt and no reminder', async () => {
  await placeOrder('A1');
  await kit.advance('P4D');
  expect(mail.mock.calls).toEqual([['receipt A1']]);
  expect(kit.enqueued()).toEqual([]);
});

test('a card company that is down is asked again after a minute and ten', async () => {
  charge.mockImplementationOnce(() => {
    throw new Error('down');
  });
  await placeOrder('A1');
  expect(await kit.drain()).toMatchObject({ retried: 1, completed: 0 });
  expect(mail).not.toHaveBeenCalled();
  await kit.advance('PT1M');
  expect(mail).toHaveBeenCalledWith('receipt A1');
});

test('a refused card is not tried again, and the customer is reminded', async () => {
  charge.mockReturnValue('refused');
  await placeOrder('A1');
  await kit.advance('P4D');
  expect(kit.deadLetters(chargeCard)).toMatchObject([
    { reason: 'non-retryable', error: { message: expect.stringContaining('refused at try 1') as string } },
  ]);
  expect(mail.mock.calls).toEqual([['reminder A1']]);
});

test('one job can be run by itself, and throws what its handler throws', async () => {
  const { id } = await kit.client.enqueue(sendReceipt, { orderId: 'A1' }, { delay: 'P1D' });
  mail.mockImplementationOnce(() => {
    throw new Error('no mail server');
  });
  await expect(kit.runJob(id)).rejects.toThrow('no mail server');
  expect(await kit.runJob(id)).toMatchObject({ outcome: 'completed', attempt: 2 });
});
