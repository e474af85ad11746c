import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { EveryType } from '../../functions/worker/external/every-type.ts';
import { externalOver } from '../../functions/worker/external/external-over.ts';
import type { External } from '../../functions/worker/external/external.ts';
import { createMemoryHintSource } from '../../shared/adapters/memory/hint-source.ts';
import { placesOf, step } from '../support/group-stage.ts';
import { Rig } from '../support/rig.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface Stage {
  readonly rig: Rig;
  readonly worker: External;
  readonly ids: readonly string[];
  /** What is handed out, at most five tasks: their ids, and the token of the first. */
  readonly fetch: () => Promise<{ readonly ids: readonly string[]; readonly token: string }>;
  /** Lets time pass, and the acquirer have its ticks. */
  readonly passes: (ms: number) => Promise<void>;
}

/** Three jobs of one group in their order, for foreign code. */
async function stage(): Promise<Stage> {
  const rig = new Rig();
  const source = createMemoryHintSource(rig.hints, rig.clock);
  const worker = externalOver({ ...rig.deps, handlers: new EveryType('default', [step]) }, { source, queues: rig.queues });
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c']) ids.push((await rig.client.enqueue(step, { name })).id);
  return {
    rig,
    worker,
    ids,
    fetch: async () => {
      const tasks = await rig.until(worker.fetchAndLock(5, 'PT1M'));
      return { ids: tasks.map(({ id }) => id), token: tasks[0]?.token ?? '' };
    },
    passes: async (ms) => {
      await rig.clock.advance(ms);
      await rig.fire();
    },
  };
}

describe('a group with onFailure block whose jobs foreign code fetches', () => {
  it('hands out one at a time, in order', async () => {
    const { rig, worker, ids, fetch, passes } = await stage();
    for (const id of ids) {
      const task = await fetch();
      expect(task.ids).toEqual([id]);
      expect((await fetch()).ids).toEqual([]);
      expect(await worker.complete(id, task.token)).toEqual({ result: 'completed' });
      await passes(2 * MINUTE);
    }
    expect(await placesOf(rig)).toEqual([]);
  });

  it('waits for the retry of a task that failed, and for its dead letter until that is redriven and done', async () => {
    const { rig, worker, ids, fetch, passes } = await stage();
    const [a = '', b = '', c = ''] = ids;
    const admin = createAdminOver(rig.deps);
    expect(await worker.fail(a, (await fetch()).token, { message: 'no answer' })).toEqual({ result: 'retried' });
    await passes(2 * MINUTE);
    expect((await fetch()).ids).toEqual([]);
    expect(await Promise.all(ids.map(async (id) => (await rig.client.get(id))?.state))).toEqual(['waiting', 'parked', 'parked']);
    await passes(HOUR);
    const second = await fetch();
    expect(second.ids).toEqual([a]);
    expect(await worker.fail(a, second.token, { message: 'no answer', retries: 0 })).toEqual({ result: 'dead' });
    await passes(HOUR);
    expect((await fetch()).ids).toEqual([]);
    expect((await admin.blockedGroups()).held).toMatchObject([{ group: 'order', heldBy: { id: a, state: 'dead' }, waiting: 2 }]);
    expect(await admin.redrive(a)).toBe('redriven');
    const third = await fetch();
    expect(third.ids).toEqual([a]);
    expect(await worker.complete(a, third.token)).toEqual({ result: 'completed' });
    for (const id of [b, c]) {
      await passes(2 * MINUTE);
      const task = await fetch();
      expect(task.ids).toEqual([id]);
      await worker.complete(id, task.token);
    }
    expect(await placesOf(rig)).toEqual([]);
  });

  it('goes on without a dead letter when an operator says so', async () => {
    const { rig, worker, ids, fetch, passes } = await stage();
    const [a = '', b = ''] = ids;
    await worker.fail(a, (await fetch()).token, { message: 'never', retries: 0 });
    await passes(2 * MINUTE);
    expect((await fetch()).ids).toEqual([]);
    expect(await createAdminOver(rig.deps).releaseGroup(a, { reason: 'corrected by hand' })).toBe('released');
    await passes(2 * MINUTE);
    expect((await fetch()).ids).toEqual([b]);
  });

  it('waits for one whose lock ran out or that was given back, which is handed out again', async () => {
    const { rig, worker, ids, fetch, passes } = await stage();
    const [a = ''] = ids;
    expect((await fetch()).ids).toEqual([a]);
    await passes(10 * MINUTE);
    await rig.sweep();
    const again = await fetch();
    expect(again.ids).toEqual([a]);
    expect(await worker.unlock(a, again.token)).toEqual({ result: 'unlocked' });
    await passes(2 * MINUTE);
    expect((await fetch()).ids).toEqual([a]);
  });
});
