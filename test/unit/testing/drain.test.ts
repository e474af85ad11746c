import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { jobIdFrom, shardOf } from '../../../shared/core/job-id.ts';
import { defineJob } from '../../../shared/index.ts';
import { ERROR_GROUPS } from '../../../shared/store/error-group-rows.ts';
import { advanceBy } from '../../../shared/testing/kit/drain.ts';
import { createTestKit } from '../../../shared/testing/index.ts';
import { createWorld } from '../../../shared/testing/kit/kit-world.ts';

test('a timer that cannot be read becomes a dead letter in its error group, and nothing is said to have failed', async () => {
  const world = createWorld([], {});
  await world.tables.write({ op: 'put', table: 'timers', row: { shard: '00', due: '2026-01-01T00:30:00.000Z#garbage', what: 'is this' } });
  const recorded = vi.spyOn(world.events.functions, 'record');
  await advanceBy(world, 'PT1H', { left: 10 });
  expect(world.tables.rows('timers')).toEqual([]);
  expect(world.tables.rows('deadLetters')).toMatchObject([{ reason: 'unreadable' }]);
  expect(world.tables.rows('control').filter(({ pk }) => pk === ERROR_GROUPS)).toHaveLength(1);
  expect(recorded.mock.calls.map(([{ event, reason }]) => ({ event, reason }))).toEqual([{ event: 'quarantined', reason: 'timers' }]);
});

test('timers of one shard that are worth more than a second of its writes run without waiting for a clock that stands still', async () => {
  const large = defineJob('large', { payload: z.object({ text: z.string() }) });
  const kit = createTestKit([large.handle(() => {})]);
  const runAt = kit.clock.now() + 60 * 60_000;
  const ids = Array.from({ length: 500 }, (_, n) => jobIdFrom(runAt, `large ${n}`)).filter((id) => shardOf(id) === '00');
  for (const id of ids) await kit.client.enqueue(large, { text: 'x'.repeat(200 * 1_024) }, { runAt: new Date(runAt), id });
  expect((await kit.advance('PT1H')).completed).toBe(ids.length);
  expect(ids.length).toBeGreaterThan(2);
});
