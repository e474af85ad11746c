import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { remindOfPaymentWith } from '../../examples/order-service/handlers/remind-of-payment.ts';
import { renderInvoiceWith } from '../../examples/order-service/handlers/render-invoice.ts';
import { csvField, reportOrdersWith } from '../../examples/order-service/handlers/report-orders.ts';
import type { Order } from '../../examples/order-service/orders.ts';
import type { JobContext } from '../../shared/job/job-type.ts';
import { jobContext } from '../support/job-context.ts';

const order: Order = {
  orderId: 'order-1',
  customer: '<b>Ann & Co</b>',
  amountCents: 1_250,
  status: 'placed',
  placedAt: '2026-01-01T00:00:00.000Z',
  reminderId: 'r',
};
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'orders-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const contextOf = <Payload>(payload: Payload, attempt = 1, signal?: AbortSignal): JobContext<Payload> =>
  jobContext(payload, { attempt }, signal);

test('an invoice is a whole file named by its job, the same after a second run, with nothing else left behind', async () => {
  const render = renderInvoiceWith({ get: async () => order }, folder);
  expect(await render(contextOf({ orderId: 'order-1' }))).toBeUndefined();
  const first = await readFile(join(folder, 'job-1.html'), 'utf8');
  await render(contextOf({ orderId: 'order-1' }, 2));
  expect(await readdir(folder)).toEqual(['job-1.html']);
  expect(await readFile(join(folder, 'job-1.html'), 'utf8')).toBe(first);
  expect(first).toContain('12.50');
  expect(first).not.toContain('<b>');
});

test.each([
  ['an order that is not there', undefined, 'no order'],
  ['an order without an amount', { ...order, amountCents: 0 }, '0 cents'],
])('%s fails for good and leaves no file', async (_, found, reason) => {
  const verdict = await renderInvoiceWith({ get: async () => found }, folder)(contextOf({ orderId: 'order-1' }));
  expect(verdict).toMatchObject({ verdict: 'fail', retry: false, reason: expect.stringContaining(reason) as string });
  expect(await readdir(folder)).toEqual([]);
});

test('a reminder of an order that was paid in the meantime completes without a word', async () => {
  const asked: string[] = [];
  const remind = remindOfPaymentWith({
    noteReminder: async (orderId) => {
      asked.push(orderId);
      return false;
    },
  });
  await expect(remind(contextOf({ orderId: 'order-1' }))).resolves.toBeUndefined();
  expect(asked).toEqual(['order-1']);
});

test('a report holds every order of every page, one line each', async () => {
  async function* pages(): AsyncIterable<readonly Order[]> {
    yield [order];
    yield [{ ...order, orderId: 'order-2', customer: '=cmd|"/c calc"!A1' }];
  }
  await reportOrdersWith({ pages }, folder)(contextOf({ day: '2026-01-01' }));
  const lines = (await readFile(join(folder, 'report-2026-01-01.csv'), 'utf8')).split('\r\n');
  expect(lines).toHaveLength(4);
  expect(lines[1]).toBe('"order-1","<b>Ann & Co</b>","1250","placed","2026-01-01T00:00:00.000Z","",""');
  expect(lines[2]).toContain(`"'=cmd|""/c calc""!A1"`);
});

test('a report whose time is over leaves no report', async () => {
  const over = new AbortController();
  async function* pages(): AsyncIterable<readonly Order[]> {
    yield [order];
    over.abort(new Error('time is over'));
    yield [order];
  }
  await expect(reportOrdersWith({ pages }, folder)(contextOf({ day: '2026-01-01' }, 1, over.signal))).rejects.toThrow('time is over');
  expect(await readdir(folder)).not.toContain('report-2026-01-01.csv');
});

test.each([
  ['=1+1', `"'=1+1"`],
  ['+49', `"'+49"`],
  ['-1', `"'-1"`],
  ['@SUM(A1)', `"'@SUM(A1)"`],
  ['\t=1', `"'\t=1"`],
  ['a "b", c', '"a ""b"", c"'],
  [-5, '"-5"'],
])('the CSV field %j is written as %s', (value, written) => {
  expect(csvField(value)).toBe(written);
});
