import { expect, it } from 'vitest';
import { meetNewerOrder, shipOlderOrder } from '../../examples/payload-versions/ship-order.ts';

it('an order of an older release is handled in the shape of this one', async () => {
  expect(await shipOlderOrder()).toBe('stored in version 1, handled {"lines":[{"article":"lamp","quantity":1}]}');
});

it('an order of a newer release waits until that release is back', async () => {
  expect(await meetNewerOrder()).toBe('suspended for newer-version#order.ship@3, 0 attempts');
});
