import { expect, it } from 'vitest';
import { StoreUnavailableError } from '../../../../shared/job/errors.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { endAsSkipped, type SkipFence } from '../../../../shared/features/schedules/store/end-as-skipped.ts';
import { scheduleKey } from '../../../../shared/features/schedules/store/schedule-rows.ts';
import type { Tables } from '../../../../shared/ports/tables.ts';
import { endUnstarted, type UnstartedOutcome } from '../../../../shared/store/end-unstarted.ts';
import { take } from '../../../support/faulty-rig.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';

const work = defineJob('work', { payload: anyPayload });
const PAUSED = '2026-01-01T00:00:00.000Z';

it.each<readonly [string, SkipFence, Record<string, string | number> | undefined]>([
  ['gone, and is there again', { schedule: 'gone' }, { rev: 1 }],
  ['there, and is gone', { schedule: 'there' }, undefined],
  ['paused, and was resumed', { schedule: 'paused', pausedAt: PAUSED }, { rev: 1 }],
  ['paused, and was paused anew', { schedule: 'paused', pausedAt: PAUSED }, { rev: 1, pausedAt: '2026-01-02T00:00:00.000Z' }],
])('an occurrence is not skipped when its schedule was seen %s', async (_, fence, row) => {
  const rig = new Rig();
  const { id } = await rig.client.enqueue(work, {});
  const job = { ...(await take(rig, id)), schedule: 's' };
  if (row !== undefined) await rig.tables.write({ op: 'put', table: 'control', row: { ...scheduleKey('s'), ...row } });
  await expect(endAsSkipped(rig.tables, job, fence, { token: 't', now: rig.clock.now() })).rejects.toThrow(StoreUnavailableError);
  expect((await rig.counts()).jobs).toBe(1);
});

it('a claimed job ends under a token that names the outcome, the job, the claim and the call, and no other', async () => {
  const rig = new Rig();
  const { id } = await rig.client.enqueue(work, {});
  const job = await take(rig, id);
  const tokens: string[] = [];
  const tables: Tables = {
    ...rig.tables,
    transact: async (_writes, token) => {
      tokens.push(token);
      return { applied: true, attempts: 1 };
    },
  };
  const token = async (ending = job, outcome: UnstartedOutcome = 'expired', called = 't') => {
    await endUnstarted(tables, ending, { outcome }, { token: called, now: rig.clock.now() });
    return tokens.at(-1);
  };
  const first = await token();
  expect(await token()).toBe(first);
  const others = [
    await token({ ...job, id: 'another' }),
    await token({ ...job, lockOwner: 'run/another' }),
    await token(job, 'skipped'),
    await token(job, 'expired', 'another'),
  ];
  expect(new Set([first, ...others]).size).toBe(5);
});
