import { describe, expect, test } from 'vitest';
import { InvalidInputError, StoreUnavailableError } from '../../shared/job/errors.ts';
import { followUp } from '../../shared/job/follow-up.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { createMemoryHintSource } from '../../shared/adapters/memory/hint-source.ts';
import { EveryType } from '../../functions/worker/external/every-type.ts';
import { externalOver } from '../../functions/worker/external/external-over.ts';
import type { HintSource } from '../../shared/ports/hint-source.ts';
import type { External, ExternalTask } from '../../functions/worker/external/external.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const MINUTE = 60_000;
const convert = defineJob('convert', { payload: anyPayload, retry: 'R3/PT1M' });
const grouped = defineJob('grouped', { payload: anyPayload, group: 'g' });

function session(rig: Rig): External {
  const source = createMemoryHintSource(rig.hints, rig.clock);
  return externalOver({ ...rig.deps, handlers: new EveryType('default', [convert]) }, { source, queues: rig.queues });
}

async function fetchOne(rig: Rig, worker: External): Promise<ExternalTask> {
  const [task] = await rig.until(worker.fetchAndLock(1, 'PT1M'));
  if (task === undefined) throw new Error('There was no task.');
  return task;
}

async function handedOut(): Promise<{ rig: Rig; worker: External; task: ExternalTask }> {
  const rig = new Rig();
  const worker = session(rig);
  await rig.client.enqueue(convert, { file: 'a.tiff' }, { tenant: 't' });
  return { rig, worker, task: await fetchOne(rig, worker) };
}

describe('an external worker', () => {
  test('is handed a job with its payload, locked for as long as it asked', async () => {
    const { rig, worker, task } = await handedOut();
    expect(task).toMatchObject({ type: 'convert', payload: { file: 'a.tiff' }, attempt: 1, failures: 0, tenant: 't' });
    expect(task.lockedUntil.getTime()).toBe(rig.clock.now() + MINUTE);
    expect(await rig.until(worker.fetchAndLock(5, 'PT1M'))).toEqual([]);
    expect(rig.hints.nextVisibleAt()).toBeUndefined();
  });

  test('completes it once: a second answer finds the lock gone', async () => {
    const { rig, worker, task } = await handedOut();
    expect(await worker.complete(task.id, task.token, { result: { pages: 3 } })).toEqual({ result: 'completed' });
    expect(await rig.client.get(task.id)).toMatchObject({ state: 'finished' });
    expect(await worker.complete(task.id, task.token)).toEqual({ result: 'lost' });
    expect(rig.journal.count('completed')).toBe(1);
  });

  test('hands out what it has locked, although the next queue does not answer', async () => {
    const rig = new Rig();
    const good = createMemoryHintSource(rig.hints, rig.clock);
    let asked = 0;
    const source: HintSource = {
      ...good,
      receive: async (queue, terms) => {
        if (asked++ > 0) throw new StoreUnavailableError('receive', new Error('no answer'));
        return good.receive(queue, terms);
      },
    };
    const worker = externalOver({ ...rig.deps, handlers: new EveryType('default', []) }, { source, queues: rig.queues });
    await rig.client.enqueue(convert, {});
    expect(await rig.until(worker.fetchAndLock(5, 'PT24H'))).toHaveLength(1);
    expect(rig.journal.count('store-failed')).toBe(1);
    await expect(rig.until(worker.fetchAndLock(1, 'PT1M'))).rejects.toThrow(StoreUnavailableError);
  });

  test('waits for a job as long as it asked', async () => {
    const rig = new Rig();
    const waiting = session(rig).fetchAndLock(1, 'PT1M', { wait: 'PT20S' });
    await rig.clock.advance(2_000);
    await rig.client.enqueue(convert, {});
    expect(await rig.until(waiting)).toHaveLength(1);
  });

  test('keeps a job by extending its lock; one that does not loses it, and nothing it says later counts', async () => {
    const { rig, worker, task } = await handedOut();
    for (let minute = 0; minute < 10; minute++) {
      await rig.clock.advance(50_000);
      expect(await worker.extendLock(task.id, task.token, 'PT1M')).toMatchObject({ result: 'extended' });
    }
    expect((await rig.sweep()).counts).toEqual({});
    await rig.clock.advance(2 * MINUTE);
    expect((await rig.sweep()).counts).toEqual({ reset: 1 });
    const again = await fetchOne(rig, worker);
    expect(again).toMatchObject({ id: task.id, attempt: 2 });
    expect(again.token).not.toBe(task.token);
    expect(await worker.extendLock(task.id, task.token, 'PT1M')).toEqual({ result: 'lost' });
    for (const answer of [
      worker.complete(task.id, task.token),
      worker.fail(task.id, task.token, { message: 'no' }),
      worker.unlock(task.id, task.token),
    ]) {
      expect(await answer).toEqual({ result: 'lost' });
    }
    expect(await worker.complete(again.id, again.token)).toEqual({ result: 'completed' });
  });

  test('fails by the policy of the type, or by the tries that it says are left', async () => {
    const { rig, worker, task } = await handedOut();
    expect(await worker.fail(task.id, task.token, { message: 'disk full' })).toEqual({ result: 'retried' });
    expect((await rig.rows('jobs'))[0]).toMatchObject({ failures: 1, errorMessage: 'disk full' });
    await rig.clock.advance(2 * MINUTE);
    const second = await fetchOne(rig, worker);
    // The third failure is the last by R3; two tries are said to be left all the same.
    await worker.fail(second.id, second.token, { message: 'again' });
    await rig.clock.advance(2 * MINUTE);
    const third = await fetchOne(rig, worker);
    expect(await worker.fail(third.id, third.token, { message: 'again', retries: 2, delay: 'PT5M' })).toEqual({ result: 'retried' });
    await rig.clock.advance(4 * MINUTE);
    expect(await rig.until(worker.fetchAndLock(1, 'PT1M'))).toEqual([]);
    await rig.clock.advance(2 * MINUTE);
    const fourth = await fetchOne(rig, worker);
    expect(await worker.fail(fourth.id, fourth.token, { message: 'never', retries: 0 })).toEqual({ result: 'dead' });
    expect(await rig.counts()).toMatchObject({ jobs: 0, deadLetters: 1 });
  });

  test('that says one try is left has one more', async () => {
    const { worker, task } = await handedOut();
    expect(await worker.fail(task.id, task.token, { message: 'no', retries: 1 })).toEqual({ result: 'retried' });
  });

  test.each(['PT5M', 'PT1H'])('that said how many tries are left keeps them while it waits %s, and has no more', async (delay) => {
    const { rig, worker, task } = await handedOut();
    await worker.fail(task.id, task.token, { message: 'no', retries: 1, delay });
    expect([...(await rig.rows('jobs')), ...(await rig.rows('timers'))]).toMatchObject([{ failures: 1, triesLimit: 2 }]);
    await rig.clock.advance(61 * MINUTE);
    await rig.fire();
    const again = await fetchOne(rig, worker);
    expect(await worker.fail(again.id, again.token, { message: 'no' })).toEqual({ result: 'dead' });
  });

  test('names the error of a failure, by which its dead letter is found', async () => {
    const { rig, worker, task } = await handedOut();
    const failure = { message: 'The card was declined.', name: 'CardDeclined', details: 'at pay.py:7', retries: 0 };
    expect(await worker.fail(task.id, task.token, failure)).toEqual({ result: 'dead' });
    const [letter] = await rig.rows('deadLetters');
    expect(letter).toMatchObject({
      errorName: 'CardDeclined',
      errorMessage: 'The card was declined.',
      errorStack: 'at pay.py:7',
      reason: 'failed',
    });
  });

  test('fails under the usual name if it gives none', async () => {
    const { rig, worker, task } = await handedOut();
    await worker.fail(task.id, task.token, { message: 'no', name: '', retries: 0 });
    expect((await rig.rows('deadLetters'))[0]).toMatchObject({ errorName: 'JobFailed' });
  });

  test('completes a job together with those that follow it, which inherit from it; a lost answer makes none', async () => {
    const { rig, worker, task } = await handedOut();
    const enqueue = [followUp(convert, { file: 'b.tiff' }), followUp(convert, { file: 'c.tiff' }, { tenant: 'u' })];
    expect(await worker.complete(task.id, task.token, { enqueue })).toEqual({ result: 'completed' });
    expect(await worker.complete(task.id, task.token, { enqueue })).toEqual({ result: 'lost' });
    const rows = await rig.rows('jobs');
    expect(
      rows
        .map(({ payload, tenant, chainDepth }) => ({ payload, tenant, chainDepth }))
        .toSorted((a, b) => (String(a.payload) < String(b.payload) ? -1 : 1)),
    ).toEqual([
      { payload: '{"file":"b.tiff"}', tenant: 't', chainDepth: 1 },
      { payload: '{"file":"c.tiff"}', tenant: 'u', chainDepth: 1 },
    ]);
    expect(await rig.until(worker.fetchAndLock(5, 'PT1M'))).toHaveLength(2);
  });

  test('completes a job together with the cancel of those that hold the keys it names', async () => {
    const { rig, worker, task } = await handedOut();
    const { id } = await rig.client.enqueue(convert, { file: 'b.tiff' }, { tenant: 't', key: 'k', delay: 'PT1H' });
    await expect(worker.complete(task.id, task.token, { cancel: [{ type: convert, key: '' }] })).rejects.toThrow('cancel.0.key');
    const cancel = [{ type: convert, key: 'k', reason: 'done' }];
    expect(await worker.complete(task.id, task.token, { cancel })).toEqual({ result: 'completed' });
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', outcome: 'cancelled' });
  });

  test.each(['attempts', 'durable'] as const)('has each attempt that it answered in History, at level %s', async (history) => {
    const rig = new Rig({ history });
    const worker = session(rig);
    const { id } = await rig.client.enqueue(convert, {});
    const first = await fetchOne(rig, worker);
    await worker.fail(id, first.token, { message: 'disk full' });
    await rig.clock.advance(2 * MINUTE);
    const second = await fetchOne(rig, worker);
    await worker.extendLock(id, second.token, 'PT5M');
    await Promise.all([worker.complete(id, second.token), worker.complete(id, second.token)]);
    expect((await rig.client.history(id)).attempts).toMatchObject([
      { attempt: 1, outcome: 'retried', error: { message: 'disk full' } },
      { attempt: 2, outcome: 'completed' },
    ]);
  });

  test('settles the batch of a job that it completes', async () => {
    const rig = new Rig();
    const worker = session(rig);
    const { id: batch } = await rig.client.enqueueBatch(convert, [{}]);
    const task = await fetchOne(rig, worker);
    await worker.complete(task.id, task.token);
    expect(await rig.client.batch(batch)).toMatchObject({ state: 'finished' });
  });

  test('gives a job back untouched, for the next to have at once', async () => {
    const { rig, worker, task } = await handedOut();
    expect(await worker.unlock(task.id, task.token)).toEqual({ result: 'unlocked' });
    expect((await rig.rows('jobs'))[0]).toMatchObject({ failures: 0, crashes: 0 });
    expect(await fetchOne(rig, worker)).toMatchObject({ id: task.id, failures: 0 });
  });

  test('learns of a cancel when it extends its lock, and cannot complete what was cancelled', async () => {
    const { rig, worker, task } = await handedOut();
    expect(await rig.client.cancel(task.id)).toBe('cancel-requested');
    expect(await worker.extendLock(task.id, task.token, 'PT1M')).toMatchObject({ result: 'cancel-asked' });
    expect(await worker.complete(task.id, task.token)).toEqual({ result: 'cancelled' });
    expect(await rig.counts()).toMatchObject({ jobs: 0, deadLetters: 0 });
  });

  test('has one job of a group at a time, and the next one when that is answered', async () => {
    const rig = new Rig();
    const [one, two] = [session(rig), session(rig)];
    await rig.client.enqueueMany(grouped, [{ n: 1 }, { n: 2 }]);
    const task = await fetchOne(rig, one);
    await rig.clock.advance(40_000);
    expect(await one.extendLock(task.id, task.token, 'PT1M')).toMatchObject({ result: 'extended' });
    await rig.clock.advance(40_000);
    expect(await rig.until(two.fetchAndLock(5, 'PT1M'))).toEqual([]);
    await one.complete(task.id, task.token);
    await rig.clock.advance(2 * MINUTE);
    const next = await fetchOne(rig, two);
    expect(next.id).not.toBe(task.id);
    await two.complete(next.id, next.token);
    expect(await rig.rows('control')).toEqual([]);
  });

  test('that keeps dying with a job makes it a dead letter in the end', async () => {
    const { rig, worker } = await handedOut();
    await rig.client.enqueue(convert, {});
    for (let death = 0; death < 3; death++) {
      await rig.clock.advance(2 * MINUTE);
      await rig.sweep();
      // A job whose lock ran out is handed out with nothing beside it.
      const tasks = await rig.until(worker.fetchAndLock(5, 'PT1M'));
      const suspect = tasks.find(({ attempt }) => attempt > 1);
      if (suspect !== undefined) expect(tasks).toHaveLength(1);
      for (const task of tasks) if (task.attempt === 1) await worker.complete(task.id, task.token);
    }
    for (let tick = 0; tick < 4; tick++) {
      await rig.clock.advance(2 * MINUTE);
      await rig.sweep();
      await rig.until(worker.fetchAndLock(1, 'PT1M'));
    }
    expect((await rig.rows('deadLetters'))[0]).toMatchObject({ reason: 'crash-loop' });
  });

  test('is refused what cannot be, before anything is written', async () => {
    const { worker, task } = await handedOut();
    await expect(worker.fetchAndLock(0, 'PT1M')).rejects.toThrow('n: 0');
    await expect(worker.fetchAndLock(1, 'PT0S')).rejects.toThrow('lease');
    await expect(worker.complete(task.id, 'queue/0/x')).rejects.toThrow('token');
    await expect(worker.complete('nobody', task.token)).rejects.toThrow('id');
    await expect(worker.fail(task.id, task.token, { message: 'x', retries: -1 })).rejects.toThrow('retries: -1');
    await expect(worker.fail(task.id, task.token, { message: 'x', retry: 1 } as never)).rejects.toThrow('retry');
    await expect(worker.fail(task.id, task.token, { message: 'x', name: 7 } as never)).rejects.toThrow('name: 7');
    await expect(worker.fail(task.id, task.token, { message: 'x', details: {} } as never)).rejects.toThrow('details');
    await expect(worker.complete(task.id, task.token, { results: 1 } as never)).rejects.toThrow('results');
    await expect(worker.complete(task.id, task.token, { transact: [] } as never)).rejects.toThrow('transact');
    await expect(worker.complete(task.id, task.token, { enqueue: {} } as never)).rejects.toThrow('enqueue: an object is not valid');
    await expect(worker.complete(task.id, task.token, { enqueue: [{}] } as never)).rejects.toThrow(InvalidInputError);
    expect(await worker.complete(task.id, task.token)).toEqual({ result: 'completed' });
  });
});
