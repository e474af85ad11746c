import { beforeEach, expect, test } from 'vitest';
import { offer, sendCode, sendOffer } from '../../examples/expiry/offers.ts';
import { createJobClient } from '../../shared/index.ts';
import { createTestKit, type TestKit } from '../../testing/index.ts';

const sent: string[] = [];
let kit: TestKit;

beforeEach(() => {
  sent.length = 0;
  kit = createTestKit([
    sendCode.handle(({ payload }) => void sent.push(payload.phone)),
    sendOffer.handle(({ payload }) => void sent.push(payload.customer)),
  ]);
  return kit.install();
});

test('a code that could not be sent within ten minutes is not sent', async () => {
  const { id } = await createJobClient().enqueue(sendCode, { phone: '1' });
  await kit.clock.advance(10 * 60_000 + 1);
  expect(await kit.drain()).toMatchObject({ expired: 1, completed: 0 });
  expect(sent).toEqual([]);
  expect(await createJobClient().get(id)).toMatchObject({ state: 'finished', outcome: 'expired' });
});

test('an offer that was not sent in time is a dead letter', async () => {
  const id = await offer('ada', new Date(kit.clock.now() + 60_000));
  await kit.clock.advance(60_001);
  await kit.drain();
  expect(sent).toEqual([]);
  expect(await createJobClient().get(id)).toMatchObject({ state: 'dead', reason: 'expired' });
});
