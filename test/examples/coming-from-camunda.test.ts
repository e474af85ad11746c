import { describe, expect, test } from 'vitest';
import { runChargeOrder } from '../../examples/coming-from-camunda/charge-order.ts';

describe('a service task of Camunda as a job', () => {
  test('is retried after the intervals of its list, once more than there are', async () => {
    expect(await runChargeOrder(['down', 'down', 'down', 'paid'])).toEqual([
      '00:00:00 try 1: down',
      '00:10:00 try 2: down',
      '00:27:00 try 3: down',
      '00:47:00 try 4: paid',
      'finished',
    ]);
  });

  test('becomes a dead letter where Camunda would open an incident, and an operator redrives it', async () => {
    expect(await runChargeOrder(['down'])).toEqual([
      '00:00:00 try 1: down',
      '00:10:00 try 2: down',
      '00:27:00 try 3: down',
      '00:47:00 try 4: down',
      'incident: The provider is down.',
      'redrive: redriven',
    ]);
  });

  test('is not tried again after an error that no retry fixes', async () => {
    expect(await runChargeOrder(['card refused'])).toEqual([
      '00:00:00 try 1: card refused',
      'incident: The card was refused.',
      'redrive: redriven',
    ]);
  });
});
