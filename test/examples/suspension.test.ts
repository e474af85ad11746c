import { expect, test } from 'vitest';
import { runBankOutage } from '../../examples/suspension/payouts.ts';

test('payouts wait while the bank is down, one goes all the same, one is stopped, and the rest go at the rate asked for', async () => {
  expect(await runBankOutage()).toEqual([
    '00:00:06 statement to bert',
    '00:00:06 6 payouts are suspended: type#payout.send, the bank is down, anna',
    '00:00:06 dora: started',
    '00:00:06 payout to dora, attempt 1',
    '00:00:06 emil: stopped',
    '01:00:06 payouts: resumed',
    '01:00:13 payout to bert, attempt 1',
    '01:00:33 payout to carl, attempt 1',
    '01:00:53 payout to fred, attempt 1',
    '01:01:06 payout to gina, attempt 1',
    '01:05:06 emil: resumed',
    '01:05:06 payout to emil, attempt 1',
    'suspend, type#payout.send, anna, the bank is down',
    'runNow, operator, rent is due',
    'breakpoint, operator, is that his account?',
    'resume, type#payout.send, anna',
    'resumeJob, operator',
  ]);
});
