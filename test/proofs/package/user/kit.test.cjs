// The same in CommonJS.
const assert = require('node:assert/strict');
const { test } = require('node:test');
const { createJobClient, defineJob } = require('nightcrew');
const { createTestKit } = require('nightcrew/testing');
const { z } = require('zod');

const greet = defineJob('greet', { payload: z.object({ name: z.string() }) });

test('a greeting goes out', async (t) => {
  const kit = createTestKit([greet.handle(() => {})]);
  t.after(kit.install());
  await createJobClient().enqueue(greet, { name: 'Ada' });
  assert.equal((await kit.drain()).completed, 1);
});
