import { expect, test } from 'vitest';
import { runApprovals } from '../../examples/follow-ups/boundary-timer.ts';
import { runOrder } from '../../examples/follow-ups/order.ts';

test('follow-ups exist with the completion only, inherit what is asked, and retry apart from each other', async () => {
  expect(await runOrder()).toEqual([
    '00:00:00 charge, try 1',
    '00:00:00 to do: order.charge',
    '00:01:00 charge, try 2',
    '00:01:00 pack, try 1, priority 5, order process process-1, tenant acme',
    '00:06:00 pack, try 2, priority 5, order process process-1, tenant acme',
    '00:11:00 receipt, priority 0, order process process-1',
    'result: {"outcome":"result","result":{"charged":"o-1"}}',
  ]);
});

test('an answer ends the timers that wait for it, and without one they run', async () => {
  expect(await runApprovals()).toEqual([
    '02:00 r-1 reminds',
    '02:00 r-2 reminds',
    '03:00 r-1 is answered',
    '03:00 escalation of r-1: cancelled, answered in time',
    '08:00 r-2 escalates',
  ]);
});
