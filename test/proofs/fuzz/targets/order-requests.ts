import type { Context } from 'aws-lambda';
import fc from 'fast-check';
import { createOrderFunction } from '../../../../examples/order-service/order-function.ts';
import { BadRequestError, readOrderRequest } from '../../../../examples/order-service/order-request.ts';
import { type FuzzTarget, fuzzTarget } from '../fuzz-target.ts';

const near = (): fc.Arbitrary<unknown> =>
  fc.oneof(
    fc.jsonValue(),
    fc.dictionary(
      fc.constantFrom('action', 'orderId', 'customer', 'amountCents', 'day', '__proto__', 'constructor', 'toString'),
      fc.oneof(
        fc.constantFrom<unknown>(
          'place',
          'pay',
          'report',
          'order-1',
          'c',
          5,
          -1,
          0.5,
          1e300,
          '2026-01-01',
          '../2026',
          '',
          'x'.repeat(10_000),
          '\ud83d',
          null,
        ),
        fc.jsonValue(),
      ),
    ),
  );

// Reads nothing of its environment before it has read the request, and has none.
const withoutEnvironment = createOrderFunction({});

/** Any event of the example's function: an order, or a refusal that names the fields before any request to AWS. */
export const orderRequests: FuzzTarget = fuzzTarget({
  name: 'order-requests',
  shortRuns: 300,
  longestMs: 500,
  input: near,
  async check(event) {
    const answer = await withoutEnvironment(event as never, {} as Context).catch((error: unknown) => error);
    if (!(answer instanceof Error)) throw new Error('It was answered without a table.');
    if (answer instanceof BadRequestError) {
      if (!/^Not valid: (?:(?:action|orderId|customer|amountCents|day|request)(?:, |\.$))+$/.test(answer.message)) throw answer;
      return;
    }
    if (!answer.message.includes('ORDERS_TABLE')) throw new Error('Neither taken nor refused.', { cause: answer });
    const request = readOrderRequest(event);
    if (request.action === 'place' && !Number.isSafeInteger(request.amountCents)) throw new Error('An amount that is none was taken.');
  },
});
