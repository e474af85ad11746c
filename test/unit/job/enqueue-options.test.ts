import { expect, test } from 'vitest';
import { z } from 'zod';
import { followUp } from '../../../shared/job/follow-up.ts';
import { defineJob } from '../../../shared/job/job-type.ts';

test('a follow-up is its type, its payload and its options, none unless they are given', () => {
  const type = defineJob('mail.send', { payload: z.object({ to: z.string() }) });
  expect(followUp(type, { to: 'a' })).toEqual({ type, payload: { to: 'a' }, options: {} });
  expect(followUp(type, { to: 'a' }, { delay: 'PT1M' }).options).toEqual({ delay: 'PT1M' });
});
