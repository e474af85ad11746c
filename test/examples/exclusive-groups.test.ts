import { expect, test } from 'vitest';
import { runBookings } from '../../examples/exclusive-groups/bookings.ts';

test('bookings of an account run in order and alone, their statement joins the group, and an operator sees who waits', async () => {
  expect(await runBookings()).toEqual([
    'alice is held by account.book, 2 wait',
    'alice 0 -> 10',
    'alice is held by account.book, 1 wait',
    'alice 10 -> 7',
    'alice 7 -> 12',
    'statement of alice, in group alice',
    'alice 12 -> 12',
    'label: finished',
  ]);
});
