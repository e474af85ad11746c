import { beforeEach, expect, test } from 'vitest';
import {
  buildReport,
  dropReport,
  onCustomerChanged,
  onOrderPaid,
  refineReport,
  requestHourlyReport,
  requestReport,
} from '../../examples/unique-keys/reports.ts';
import { createTestKit, type TestKit } from '../../testing/index.ts';

const built: string[] = [];
let kit: TestKit;

beforeEach(() => {
  built.length = 0;
  kit = createTestKit([
    buildReport.handle(({ payload: { customer, filter } }) => void built.push(filter === undefined ? customer : `${customer} ${filter}`)),
  ]);
  return kit.install();
});

test('a second request finds the job of the first, and a third after its end makes another', async () => {
  expect(await requestReport('ada')).toContain('will build it');
  expect(await requestReport('ada')).toContain('is at work already');
  await kit.drain();
  expect(await requestReport('ada')).toContain('will build it');
  await kit.drain();
  expect(built).toEqual(['ada', 'ada']);
});

test('a key for an hour outlasts its job', async () => {
  expect(await requestHourlyReport('ada')).toBe(true);
  await kit.drain();
  expect(await requestHourlyReport('ada')).toBe(false);
  await kit.advance('PT1H');
  expect(await requestHourlyReport('ada')).toBe(true);
});

test('a report that has not started is built for the newest filter', async () => {
  expect(await refineReport('ada', 'all')).toContain('will build it');
  expect(await refineReport('ada', 'open')).toContain('will use the new filter');
  await kit.drain();
  expect(built).toEqual(['ada open']);
});

test('a report follows the last of several changes, five minutes after the first at the latest', async () => {
  for (let change = 0; change < 20; change++) {
    await onCustomerChanged('ada');
    await kit.advance('PT20S');
  }
  expect(built).toEqual(['ada']);
  await kit.advance('PT1M');
  expect(built).toEqual(['ada', 'ada']);
});

test('an event that is delivered twice makes one job', async () => {
  const event = { orderId: 'o-1', customer: 'ada', paidAt: new Date(kit.clock.now()) };
  expect(await onOrderPaid(event)).toBe(true);
  expect(await onOrderPaid(event)).toBe(false);
  await kit.drain();
  expect(await onOrderPaid(event)).toBe(false);
  expect(built).toEqual(['ada']);
});

test('a job is cancelled by its key, which is free again', async () => {
  await requestHourlyReport('ada');
  expect(await dropReport('ada')).toBe('cancelled');
  expect(await requestHourlyReport('ada')).toBe(true);
});
