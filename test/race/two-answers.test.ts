import { describe, expect, test } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { createMemoryHintSource } from '../../shared/adapters/memory/hint-source.ts';
import { EveryType } from '../../functions/worker/external/every-type.ts';
import type { External } from '../../functions/worker/external/external.ts';
import { externalOver } from '../../functions/worker/external/external-over.ts';
import { faultyRig } from '../support/faulty-rig.ts';
import { aimAt } from '../support/faulty-tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const plain = defineJob('plain', { payload: anyPayload });

function session(rig: Rig): External {
  const source = createMemoryHintSource(rig.hints, rig.clock);
  return externalOver({ ...rig.deps, handlers: new EveryType('default', []) }, { source, queues: rig.queues });
}

describe('two answers to one task at once', () => {
  test('end it once, and each is told what became of its own', async () => {
    const rig = new Rig({ history: 'durable' });
    const worker = session(rig);
    await rig.client.enqueue(plain, {});
    const [task] = await rig.until(worker.fetchAndLock(1, 'PT1M'));
    const complete = (result: number) => worker.complete(String(task?.id), String(task?.token), { result });
    expect((await Promise.all([complete(1), complete(2)])).map(({ result }) => result).toSorted()).toEqual(['completed', 'lost']);
  });

  test('put it off once, although they say different times', async () => {
    const rig = new Rig();
    const worker = session(rig);
    await rig.client.enqueue(plain, {});
    const [task] = await rig.until(worker.fetchAndLock(1, 'PT1M'));
    const fail = (delay: 'PT1H' | 'PT2H') => worker.fail(String(task?.id), String(task?.token), { message: 'no', retries: 2, delay });
    const answers = await Promise.all([fail('PT1H'), fail('PT2H')]);
    expect(answers.map(({ result }) => result).toSorted()).toEqual(['lost', 'retried']);
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 1 });
  });
});

describe('a failure that says how many tries are left', () => {
  test.each([
    ['PT5M', 'update'],
    ['PT1H', 'delete'],
  ] as const)('keeps them for a retry after %s, not those that an operator set before it', async (delay, op) => {
    const rig = faultyRig();
    const worker = session(rig);
    const { id } = await rig.client.enqueue(plain, {});
    const [task] = await rig.until(worker.fetchAndLock(1, 'PT1M'));
    rig.faults.before(aimAt(op, 'jobs'), async () => expect(await createAdminOver(rig.deps).setRetries(id, 8)).toBe('set'));
    expect(await worker.fail(id, String(task?.token), { message: 'no', retries: 4, delay })).toEqual({ result: 'retried' });
    expect([...(await rig.rows('jobs')), ...(await rig.rows('timers'))]).toMatchObject([{ failures: 1, triesLimit: 5 }]);
    expect(rig.faults.pending()).toBe(0);
  });
});
