import { describe, expect, test } from 'vitest';
import { createClient, type JobClient } from '../../shared/client/job-client.ts';
import { type CancelAnswer, complete, defineJob, fail, snooze, type Verdict } from '../../shared/index.ts';
import type { Tables } from '../../shared/ports/tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const work = defineJob('work', { payload: anyPayload });

/** A client right before whose n-th call to the tables somebody else acts. */
function clientWith(rig: Rig, nth: number, meanwhile: () => Promise<unknown>): JobClient {
  let calls = 0;
  const before = async (): Promise<void> => {
    if (calls++ === nth) await meanwhile();
  };
  const { tables } = rig;
  const watched: Tables = {
    ...tables,
    get: async (...given) => before().then(() => tables.get(...given)),
    write: async (...given) => before().then(() => tables.write(...given)),
    transact: async (...given) => before().then(() => tables.transact(...given)),
    putAll: async (...given) => tables.putAll(...given),
    query: async (...given) => tables.query(...given),
    scan: async (...given) => tables.scan(...given),
  };
  return createClient({ ...rig.deps, tables: watched, beforeCreate: [] }, () => []);
}

interface Raced {
  readonly answer: CancelAnswer;
  readonly rig: Rig;
  readonly id: string;
}

/** Starts a job, and lets its handler end right before the n-th call of a cancel that waits. */
async function race(nth: number, ending: () => Verdict | undefined, options: { readonly key?: string } = {}): Promise<Raced> {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const rig: Rig = new Rig({ handlers: [work.handle(async () => ended.then(ending))] });
  const { id } = await rig.client.enqueue(work, {}, options);
  let delivered: Promise<unknown> = rig.deliver();
  await rig.settle();
  const client = clientWith(rig, nth, async () => {
    end();
    await delivered;
  });
  const answer = await rig.until(client.cancel(id, { wait: 'PT8S' }), 250);
  end();
  delivered = delivered.then(() => rig.drain());
  await rig.until(delivered, 1_000);
  return { answer, rig, id };
}

const CALLS = [0, 1, 2, 3, 4, 5, 6, 7];

describe('a cancel that waits, and a run that ends right before its n-th call', () => {
  test.each(CALLS)('agree on who won (completion, call %d)', async (nth) => {
    const { answer, rig, id } = await race(nth, () => complete());
    const [completed, cancelled] = [rig.journal.count('completed'), rig.journal.count('cancelled')];
    expect(completed + cancelled).toBe(1);
    // Nothing that is said may be wrong; that the job still runs is no statement about its end.
    if (answer !== 'cancel-requested') expect(answer).toBe(completed === 1 ? 'completed' : 'cancelled');
    expect(await rig.client.get(id)).toMatchObject({ outcome: completed === 1 ? 'completed' : 'cancelled' });
  });

  test('come out both ways', async () => {
    const answers = new Set<string>();
    for (const nth of CALLS) answers.add((await race(nth, () => complete())).answer);
    expect(answers).toContain('completed');
    expect(answers).toContain('cancelled');
  });

  test.each(CALLS)('agree on who won (completion with a key, call %d)', async (nth) => {
    const { answer, rig, id } = await race(nth, () => complete(), { key: 'k' });
    const completed = rig.journal.count('completed') === 1;
    if (answer !== 'cancel-requested') expect(answer).toBe(completed ? 'completed' : 'cancelled');
    expect(await rig.client.get(id)).toMatchObject({ outcome: completed ? 'completed' : 'cancelled' });
    expect(await rig.client.enqueue(work, {}, { key: 'k' })).toMatchObject({ duplicate: false });
  });

  test.each(CALLS)('agree on a burial (call %d)', async (nth) => {
    const { answer, rig, id } = await race(nth, () => fail('no'));
    const dead = rig.journal.count('dead-lettered') === 1;
    if (answer !== 'cancel-requested') expect(answer).toBe(dead ? 'dead' : 'cancelled');
    expect(await rig.client.get(id)).toMatchObject(dead ? { state: 'dead' } : { outcome: 'cancelled' });
  });

  test.each(CALLS)('leave nothing of a job that snoozes for an hour (call %d)', async (nth) => {
    const { rig, id } = await race(nth, () => snooze('PT1H'));
    expect(await rig.client.get(id)).toMatchObject({ outcome: 'cancelled' });
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 0 });
  });
});
