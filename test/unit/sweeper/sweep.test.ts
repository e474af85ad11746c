import { expect, it } from 'vitest';
import { sweep } from '../../../functions/sweeper/sweep.ts';
import { defineJob } from '../../../shared/job/job-type.ts';
import { anyPayload, Rig } from '../../support/rig.ts';

const MINUTE = 60_000;

it.each([
  { leftMs: 5_000, scans: 0 },
  { leftMs: 5_001, scans: 2 },
])('a sweep begins nothing in the last five seconds of its invocation ($leftMs ms)', async ({ leftMs, scans }) => {
  const rig = new Rig({ settings: { sweepSegments: 2 } });
  let made = 0;
  rig.tables.scan = async () => (made++, { rows: [], readUnits: 0 });
  await sweep({ ...rig.deps, backlog: rig.hints }, { requestId: 'r', deadlineAt: rig.clock.now() + leftMs });
  expect(made).toBe(scans);
});

it('a sweep tells how many jobs have waited for more than a minute, in all segments together', async () => {
  const rig = new Rig({ settings: { sweepSegments: 2 } });
  await rig.client.enqueue(defineJob('work', { payload: anyPayload }), {});
  await rig.clock.advance(2 * MINUTE);
  const rows = await rig.rows('jobs');
  rig.tables.scan = async () => ({ rows, readUnits: 1 });
  expect(await rig.sweep()).toMatchObject({ readUnits: 2 });
  expect(rig.journal.gauges).toContainEqual({ name: 'overdue-ready', value: 2 });
});
