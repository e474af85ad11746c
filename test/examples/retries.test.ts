import { describe, expect, test } from 'vitest';
import { runSettlement } from '../../examples/retries/settle-payments.ts';

describe('a payment', () => {
  test('is tried again after each interval of its list, and is dead after the fourth try', async () => {
    expect(await runSettlement(['down'])).toEqual([
      '00:00:00 try 1: down',
      '00:10:00 try 2: down',
      '00:27:00 try 3: down',
      '00:47:00 try 4: down',
      'dead: retries-exhausted, bank is down',
    ]);
  });

  test('is tried again as its error says: by name, by what it says itself, and by when it says', async () => {
    expect(await runSettlement(['overloaded', 'overloaded', 'overloaded for hours', 'try at', 'paid'])).toEqual([
      '00:00:00 try 1: overloaded',
      '00:01:00 try 2: overloaded',
      '00:02:00 try 3: overloaded for hours',
      '03:02:00 try 4: try at',
      'dead: retries-exhausted, maintenance',
    ]);
    expect(await runSettlement(['try at', 'paid'])).toEqual(['00:00:00 try 1: try at', '04:00:00 try 2: paid', 'finished with 1 failures']);
  });

  test('is not tried again after what no retry fixes', async () => {
    expect(await runSettlement(['closed account'])).toEqual([
      '00:00:00 try 1: closed account',
      'dead: non-retryable, the account is closed',
    ]);
  });

  test('is judged by onError first: a lost connection costs no failure, a bug ends it', async () => {
    expect(await runSettlement(['lost connection', 'lost connection', 'bug'])).toEqual([
      '00:00:00 try 1: lost connection',
      '00:00:30 try 2: lost connection',
      '00:01:00 try 3: bug',
      'dead: failed, amount is undefined',
    ]);
  });

  test('gets more tries from an operator, and the last interval repeats', async () => {
    expect(await runSettlement(['down'], 'setRetries')).toEqual([
      '00:00:00 try 1: down',
      'setRetries: set',
      '00:10:00 try 2: down',
      '00:27:00 try 3: down',
      '00:47:00 try 4: down',
      '01:07:00 try 5: down',
      '01:27:00 try 6: down',
      'dead: retries-exhausted, bank is down',
    ]);
  });

  test('that is dead runs again when an operator says, as often as he says', async () => {
    expect(await runSettlement(['closed account', 'down'], 'redrive')).toEqual([
      '00:00:00 try 1: closed account',
      'redrive: redriven',
      '20:00:00 try 1: down',
      'dead: retries-exhausted, bank is down',
    ]);
  });
});
