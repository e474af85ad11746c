import { describe, expect, it, vi } from 'vitest';
import { defineJob } from '../../shared/job/job-type.ts';
import { executorOwner } from '../../shared/job/lock-owner.ts';
import { claim } from '../../shared/store/claim.ts';
import { idKey } from '../../shared/store/rows.ts';
import { decodeLeasedJob } from '../../shared/store/job-codec.ts';
import { loseMessages } from '../support/faulty-rig.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { ON_DYNAMO } from '../support/rig-tables.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DEFAULT = { worker: 'default', lane: 'default', kind: 'standard' } as const;
const work = defineJob('work', { payload: anyPayload });

/** An executor that claims the job and dies. */
async function dieHolding(rig: Rig, id: string, alone: boolean): Promise<void> {
  const lease = { owner: executorOwner(rig.deps.entropy.token(), alone), expiresAt: rig.clock.now() + MINUTE };
  expect((await claim(rig.tables, { id, n: 99 }, lease, rig.clock.now())).result).toBe('claimed');
}

/**
 * A queue that takes and gives a job a minute, so that each waits equally long, and one of whose messages is lost: how long after its lease
 * the job of that was sent again, how many others were, and how many runs a pass took.
 */
async function loseOneOf(rig: Rig, { waitMinutes, text }: { waitMinutes: number; text: string }) {
  let [resets, runs, longest] = [0, 0, 0];
  const minute = async (): Promise<void> => {
    await rig.clock.advance(MINUTE);
    await rig.client.enqueue(work, { text });
    const { counts, passedSegments } = await rig.sweep();
    resets += counts.reset ?? 0;
    longest = Math.max(longest, ++runs);
    if (passedSegments > 0) runs = 0;
  };
  for (let n = 0; n < waitMinutes; n++) await minute();
  const [lost] = rig.hints.receive(DEFAULT, 1);
  if (lost) rig.hints.acknowledge(lost);
  const { id } = JSON.parse(lost?.body ?? '{}') as { id: string };
  const seen = async () => decodeLeasedJob((await rig.tables.get('jobs', idKey(id))) ?? {});
  const { lockExpiresAt, dispatches } = await seen();
  for (let n = 0; n < 26 * 60 && (await seen()).dispatches === dispatches; n++) {
    await rig.deliver(1);
    await minute();
  }
  return { found: { after: rig.clock.now() - lockExpiresAt }, others: resets - 1, passes: { longest } };
}

describe('the sweeper', () => {
  it('sends the hint again of a job whose message was lost', async () => {
    const run = vi.fn();
    const rig = new Rig({ handlers: [work.handle(run)] });
    rig.hints.send = async (hints) => hints;
    const { id } = await rig.client.enqueue(work, {});
    expect(rig.journal.count('send-failed')).toBe(1);
    Reflect.deleteProperty(rig.hints, 'send');
    await rig.sweep();
    await rig.drain();
    expect(run).not.toHaveBeenCalled();
    await rig.clock.advance(7 * MINUTE);
    expect((await rig.sweep()).counts).toEqual({ reset: 1 });
    await rig.drain();
    expect(run).toHaveBeenCalledTimes(1);
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished' });
  });

  it('waits longer after each redispatch in a row, at most an hour, and no counter of the job moves', async () => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(work, {});
    const waits: number[] = [];
    for (let round = 0; round < 9; round++) {
      const row = decodeLeasedJob((await rig.tables.get('jobs', idKey(id))) ?? {});
      await rig.clock.advance(row.lockExpiresAt - rig.clock.now() + 2 * HOUR);
      loseMessages(rig);
      await rig.sweep();
      const next = decodeLeasedJob((await rig.tables.get('jobs', idKey(id))) ?? {});
      waits.push((next.lockExpiresAt - rig.clock.now()) / MINUTE);
    }
    expect(waits).toEqual([4, 8, 16, 32, 60, 60, 60, 60, 60]);
    expect(await rig.client.get(id)).toMatchObject({ attempts: 0, failures: 0 });
  });

  it('lets a backlog of jobs that wait as long explain the wait, but never beyond a day (busy-queue-hides-loss)', async () => {
    const rig = new Rig();
    await rig.client.enqueueMany(work, [{}, {}, {}]);
    await rig.clock.advance(10 * MINUTE);
    expect((await rig.sweep()).counts).toEqual({ explained: 3 });
    const [one] = rig.hints.receive(DEFAULT, 1);
    if (one) rig.hints.acknowledge(one);
    expect((await rig.sweep()).counts).toEqual({ explained: 2, reset: 1 });
    await rig.clock.advance(3 * HOUR);
    expect((await rig.sweep()).counts).toEqual({ explained: 3 });
    await rig.clock.advance(24 * HOUR);
    expect((await rig.sweep()).counts).toEqual({ reset: 3 });
  });

  it('takes no message of a job that became ready within a minute for that of one that waits longer than the patience', async () => {
    const rig = new Rig();
    await rig.client.enqueue(work, {});
    loseMessages(rig);
    await rig.clock.advance(HOUR + 10 * MINUTE);
    await rig.client.enqueueMany(work, [{}, {}, {}]);
    expect((await rig.sweep()).counts).toEqual({ explained: 1 });
    expect((await rig.sweep()).counts).toEqual({ reset: 1 });
  });

  it('sends a hint again when the queue does not say what waits in it', async () => {
    const rig = new Rig();
    await rig.client.enqueue(work, {});
    await rig.clock.advance(10 * MINUTE);
    rig.hints.visible = async () => undefined;
    expect((await rig.sweep()).counts).toEqual({ reset: 1 });
  });

  it('finds a lost hint in a queue that is never empty within a lease, the patience and three passes', async () => {
    const rig = new Rig({ handlers: [work.handle(() => {})], settings: { sweepReadUnits: 10, sweepPageSize: 2, sweepSegments: 1 } });
    const { found, passes, others } = await loseOneOf(rig, { waitMinutes: 30, text: 'x'.repeat(9_000) });
    expect(passes.longest).toBeGreaterThan(3);
    expect(found.after).toBeGreaterThan(HOUR);
    expect(found.after).toBeLessThanOrEqual(HOUR + 3 * passes.longest * MINUTE);
    expect(others).toBe(0);
  });

  it.skipIf(ON_DYNAMO).each([90, 180])(
    'finds it within three times the wait where jobs wait for longer than the patience (%i min), and sends two others again at most',
    async (waitMinutes) => {
      const rig = new Rig({ handlers: [work.handle(() => {})] });
      const { found, others } = await loseOneOf(rig, { waitMinutes, text: '' });
      expect(found.after).toBeGreaterThan((waitMinutes - 10) * MINUTE);
      expect(found.after).toBeLessThanOrEqual(3 * waitMinutes * MINUTE);
      expect(others).toBeLessThanOrEqual(2);
    },
  );

  it('resets a job whose executor died beside others without counting it, and runs it alone', async () => {
    const run = vi.fn();
    const rig = new Rig({ handlers: [work.handle(run)] });
    const { id } = await rig.client.enqueue(work, {});
    await dieHolding(rig, id, false);
    await rig.clock.advance(2 * MINUTE);
    expect((await rig.sweep()).counts).toEqual({ reset: 1 });
    const row = decodeLeasedJob((await rig.tables.get('jobs', idKey(id))) ?? {});
    expect(row.crashes).toBe(0);
    const hints = rig.hints.receive(DEFAULT, 10);
    expect(hints.map(({ body }) => JSON.parse(body) as { alone?: number }).some(({ alone }) => alone === 1)).toBe(true);
    await rig.execute(hints);
    expect(run).toHaveBeenCalledTimes(1);
  });

  it('buries a job that killed its process alone as often as the limit says, as crash-loop', async () => {
    const rig = new Rig({ settings: { crashLimit: 3 } });
    const { id } = await rig.client.enqueue(work, {}, { key: 'k' });
    for (let crash = 1; crash <= 3; crash++) {
      await dieHolding(rig, id, true);
      await rig.clock.advance(2 * MINUTE);
      await rig.sweep();
    }
    expect(await rig.client.get(id)).toMatchObject({ state: 'dead', reason: 'crash-loop', failures: 0 });
    expect(rig.journal.count('crashed')).toBe(3);
    expect((await rig.rows('deadLetters'))[0]).toMatchObject({ crashes: 3 });
    expect((await rig.client.enqueue(work, {}, { key: 'k' })).duplicate).toBe(false);
  });

  it('ends a job as cancelled whose executor died after it was asked to stop', async () => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(work, {});
    await dieHolding(rig, id, true);
    expect(await rig.client.cancel(id)).toBe('cancel-requested');
    await rig.clock.advance(2 * MINUTE);
    expect((await rig.sweep()).counts).toEqual({ cancelled: 1 });
    expect((await rig.counts()).jobs).toBe(0);
  });

  it('leaves a live lease alone', async () => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(work, {});
    await dieHolding(rig, id, true);
    await rig.clock.advance(MINUTE + 1_000);
    expect((await rig.sweep()).counts).toEqual({});
  });

  it('spends at most its read units in a run and goes on at its cursor in the next', async () => {
    const rig = new Rig({ settings: { sweepSegments: 1, sweepPageSize: 20, sweepReadUnits: 10 } });
    await rig.client.enqueueMany(
      work,
      Array.from({ length: 200 }, () => ({ text: 'x'.repeat(4_000) })),
    );
    await rig.clock.advance(10 * MINUTE);
    let [runs, done] = [0, 0];
    while (done < 200 && runs < 50) {
      for (const message of rig.hints.receive(DEFAULT, 1_000)) rig.hints.acknowledge(message);
      const report = await rig.sweep();
      expect(report.readUnits).toBeLessThan(30);
      done += report.counts.reset ?? 0;
      runs++;
    }
    expect(done).toBe(200);
    expect(runs).toBeGreaterThan(5);
  });

  it('quarantines a row without a lease and sweeps its neighbours', async () => {
    const rig = new Rig();
    await rig.tables.write({ op: 'put', table: 'jobs', row: { id: 'not-an-id', hello: 'world' } });
    await rig.client.enqueue(work, {});
    await rig.clock.advance(2 * HOUR);
    expect((await rig.sweep()).counts).toEqual({ quarantined: 1, explained: 1 });
    expect((await rig.rows('deadLetters'))[0]).toMatchObject({ reason: 'unreadable' });
  });

  it('tells the oldest wait and that it runs, also when there is nothing to do', async () => {
    const rig = new Rig();
    await rig.sweep();
    expect(rig.journal.gauges).toContainEqual({ name: 'oldest-ready-age', value: 0 });
    expect(rig.journal.gauges).toContainEqual({ name: 'sweeper-heartbeat', value: 1 });
    await rig.client.enqueue(work, {});
    await rig.clock.advance(3 * MINUTE);
    await rig.sweep();
    expect(rig.journal.gauges).toContainEqual({ name: 'oldest-ready-age', value: 3 * MINUTE });
  });

  it('tells the oldest wait in every run, also when a pass takes several', async () => {
    const rig = new Rig({ settings: { sweepSegments: 1, sweepPageSize: 10, sweepReadUnits: 10 } });
    await rig.client.enqueue(work, {});
    await rig.clock.advance(HOUR);
    for (let n = 0; n < 200; n++) await rig.client.enqueue(work, { text: 'x'.repeat(4_000) });
    const ages = async (): Promise<readonly number[]> => {
      const from = rig.journal.gauges.length;
      let passes = 0;
      for (let runs = 0; runs < 100 && passes < 2; runs++) passes += (await rig.sweep()).passedSegments;
      return rig.journal.gauges.slice(from).flatMap(({ name, value }) => (name === 'oldest-ready-age' ? [value] : []));
    };
    await ages();
    const told = await ages();
    expect(told.length).toBeGreaterThan(4);
    expect(Math.min(...told)).toBe(HOUR);
  });

  it('waits longer each time for a worker that knows a type, and forgets a cause that has no jobs', async () => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(work, {});
    await rig.drain();
    for (const minutes of [1, 2, 4]) {
      await rig.clock.advance(minutes * MINUTE - 1);
      await rig.sweep();
      expect((await rig.client.get(id))?.state).toBe('suspended');
      await rig.clock.advance(1);
      await rig.sweep();
      expect((await rig.client.get(id))?.state).toBe('ready');
      await rig.drain();
    }
    await rig.client.cancel(id);
    await rig.clock.advance(HOUR);
    await rig.sweep();
    expect((await rig.rows('control')).filter(({ pk }) => pk === 'held-cause')).toEqual([]);
  });

  it('loses nothing of jobs that waited while the executor was off, also past the life of their messages', async () => {
    const run = vi.fn();
    const rig = new Rig({ handlers: [work.handle(run)] });
    const { ids } = await rig.client.enqueueMany(work, [{}, {}, {}]);
    for (const message of rig.hints.receive(DEFAULT, 10)) rig.hints.acknowledge(message);
    for (let hours = 0; hours < 6; hours++) {
      await rig.clock.advance(HOUR);
      await rig.sweep();
    }
    await rig.drain();
    expect(run).toHaveBeenCalledTimes(3);
    for (const id of ids) expect(await rig.client.get(id ?? '')).toMatchObject({ state: 'finished', attempts: 1, failures: 0 });
  });
});
