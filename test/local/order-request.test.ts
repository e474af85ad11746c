import { expect, test } from 'vitest';
import { BadRequestError, readOrderRequest } from '../../examples/order-service/order-request.ts';

test.each([
  { action: 'place', orderId: 'order-1', customer: 'customer-1', amountCents: 1_250 },
  { action: 'place', orderId: 'order-1', customer: 'customer-1', amountCents: 0 },
  { action: 'pay', orderId: 'order-1' },
  { action: 'report', day: '2026-01-01' },
])('%j is taken', (request) => expect(readOrderRequest(request)).toEqual(request));

test.each([
  [null, 'request'],
  ['place', 'request'],
  [{}, 'action'],
  [{ action: 'refund' }, 'action'],
  [{ action: 'pay' }, 'orderId'],
  [{ action: 'pay', orderId: '' }, 'orderId'],
  [{ action: 'place', orderId: 7, customer: 'c', amountCents: 1 }, 'orderId'],
  [{ action: 'place', orderId: 'o', customer: 'c', amountCents: 0.5 }, 'amountCents'],
  [{ action: 'report', day: '../../etc' }, 'day'],
])('%j is refused, and the refusal names %s', (request, field) => {
  expect(() => readOrderRequest(request)).toThrow(BadRequestError);
  expect(() => readOrderRequest(request)).toThrow(`Not valid: ${field}.`);
});
