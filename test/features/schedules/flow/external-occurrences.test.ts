import { describe, expect, it } from 'vitest';
import { EveryType } from '../../../../functions/worker/external/every-type.ts';
import type { ExternalTask } from '../../../../functions/worker/external/external.ts';
import { externalOver } from '../../../../functions/worker/external/external-over.ts';
import { createMemoryHintSource } from '../../../../shared/adapters/memory/hint-source.ts';
import type { OverlapPolicy } from '../../../../shared/features/schedules/model/definition.ts';
import { schedule, scheduled } from '../../../support/scheduled-rig.ts';

const MINUTE = 60_000;

/** Foreign code holds the occurrence of 00:10 when that of 00:20 is due. */
async function heldThrough(overlap: OverlapPolicy) {
  const rig = scheduled();
  const source = createMemoryHintSource(rig.hints, rig.clock);
  const worker = externalOver({ ...rig.deps, handlers: new EveryType('default', []) }, { source, queues: rig.queues });
  await rig.admin.schedules.put(schedule({ cron: '*/10 * * * *', overlap }));
  const fetch = async (): Promise<readonly ExternalTask[]> => rig.until(worker.fetchAndLock(5, 'PT30M'));
  const passes = async (minutes: number): Promise<void> => {
    for (let passed = 0; passed < minutes; passed++) {
      await rig.tick();
      await rig.clock.advance(MINUTE);
    }
  };
  await passes(11);
  const [first] = await fetch();
  if (first === undefined) throw new Error('There was no task.');
  await passes(10);
  const outcomes = async (): Promise<readonly unknown[]> =>
    (await rig.rows('history'))
      .filter(({ nominalAt, jobId }) => nominalAt !== undefined && jobId === undefined)
      .map(({ outcome }) => outcome);
  return { rig, worker, first, fetch, passes, outcomes };
}

describe('an occurrence that is due while foreign code holds an earlier one', () => {
  it('is handed out beside it with overlap: allow', async () => {
    const { first, fetch } = await heldThrough('allow');
    const next = await fetch();
    expect(next).toHaveLength(1);
    expect(next[0]?.id).not.toBe(first.id);
  });

  it('ends as skipped with overlap: skip', async () => {
    const { fetch, outcomes } = await heldThrough('skip');
    expect(await fetch()).toEqual([]);
    expect(await outcomes()).toEqual(['skipped']);
  });

  it.each<[OverlapPolicy, string, number]>([
    ['queue', 'and its lock would have ended', 21],
    ['buffer-one', 'and half a minute has passed', 1],
  ])('waits with overlap: %s until that is completed, %s', async (overlap, _name, minutes) => {
    const { worker, first, fetch, passes, outcomes } = await heldThrough(overlap);
    expect(await fetch()).toEqual([]);
    expect(await outcomes()).toEqual([]);
    expect(await worker.complete(first.id, first.token)).toEqual({ result: 'completed' });
    expect(await fetch()).toEqual([]);
    await passes(minutes);
    expect(await fetch()).toHaveLength(1);
  });

  it('asks that one to stop with overlap: cancel-other, and is handed out when it has', async () => {
    const { worker, first, fetch, passes } = await heldThrough('cancel-other');
    expect(await fetch()).toEqual([]);
    expect(await worker.extendLock(first.id, first.token, 'PT30M')).toMatchObject({ result: 'cancel-asked' });
    expect(await worker.complete(first.id, first.token)).toEqual({ result: 'cancelled' });
    await passes(2);
    expect(await fetch()).toHaveLength(1);
  });
});
