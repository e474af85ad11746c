import { beforeEach, expect, test } from 'vitest';
import { buildReport, dropReport, onOrderPaid, requestHourlyReport, requestReport } from '../../examples/unique-keys/reports.ts';
import { createTestKit, type TestKit } from '../../shared/testing/index.ts';

const built: string[] = [];
let kit: TestKit;

beforeEach(() => {
  built.length = 0;
  kit = createTestKit([buildReport.handle(({ payload }) => void built.push(payload.customer))]);
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
