import { expect, test, vi } from 'vitest';
import { ERROR_GROUPS } from '../../../shared/features/error-groups/store/error-group-rows.ts';
import { advanceBy } from '../../../testing/kit/drain.ts';
import { createWorld } from '../../../testing/kit/kit-world.ts';

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
