import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createJobClient, defineJob } from 'nightcrew';
import { createTestKit } from 'nightcrew/testing';
import { z } from 'zod';

const greet = defineJob('greet', { payload: z.object({ name: z.string() }) });
const jobs = createJobClient();

test('a greeting goes out', async (t) => {
  const greeted = [];
  const kit = createTestKit([greet.handle(({ payload }) => void greeted.push(payload.name))]);
  // The function that install() returns ends it: node:test calls it after this test.
  t.after(kit.install());
  await jobs.enqueue(greet, { name: 'Ada' });
  assert.equal((await kit.drain()).completed, 1);
  assert.deepEqual(greeted, ['Ada']);
});
