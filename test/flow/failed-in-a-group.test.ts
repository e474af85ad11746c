import { expect, it } from 'vitest';
import { defineJob } from '../../shared/index.ts';
import { anyPayload, Rig } from '../support/rig.ts';

it('an exclusive group goes on while a job of it that failed waits for its retry, and when it is a dead letter', async () => {
  const ran: string[] = [];
  const step = defineJob('step', { payload: anyPayload, group: 'a', retry: 'R2/PT1M' });
  const handler = step.handle(({ payload }) => {
    ran.push(String(payload['name']));
    if (payload['name'] === 'fails') throw new Error('no');
  });
  const rig = new Rig({ handlers: [handler] });
  for (const name of ['fails', 'next']) await rig.client.enqueue(step, { name });
  await rig.drain();
  expect(ran).toEqual(['fails', 'next']);
  await rig.clock.advance(60_000);
  await rig.drain();
  expect((await rig.counts()).deadLetters).toBe(1);
  await rig.client.enqueue(step, { name: 'last' });
  await rig.drain();
  expect(ran).toEqual(['fails', 'next', 'fails', 'last']);
});
