import { beforeEach, expect, test } from 'vitest';
import { makeThumbnail, upload } from '../../examples/backlog/thumbnails.ts';
import { createJobClient } from '../../shared/index.ts';
import { createTestKit, type TestKit } from '../../testing/index.ts';

const MINUTE = 60_000;
let kit: TestKit;

beforeEach(() => {
  kit = createTestKit([makeThumbnail.handle(() => undefined)]);
  return kit.install();
});

test('an upload is told to come back later while a thousand thumbnails wait, and no longer', async () => {
  expect(await upload('first.png')).toBe(202);
  await kit.drain();
  const images = Array.from({ length: 999 }, (_, n) => ({ image: `${n}.png` }));
  await createJobClient().enqueueMany(makeThumbnail, images, { delay: 3 * MINUTE });
  await kit.clock.advance(MINUTE);
  await kit.drain();
  expect(await upload('one-too-many.png')).toBe(202);
  expect(await upload('two-too-many.png')).toBe(503);
  await kit.clock.advance(2 * MINUTE);
  await kit.drain();
  await kit.clock.advance(MINUTE);
  await kit.drain();
  expect(await upload('later.png')).toBe(202);
});
