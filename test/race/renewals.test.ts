import { describe, expect, it, vi } from 'vitest';
import { defineJob } from '../../shared/job/job-type.ts';
import { executorOwner } from '../../shared/job/lock-owner.ts';
import { bury } from '../../shared/store/bury.ts';
import { claim, takeOver } from '../../shared/store/claim.ts';
import { renew } from '../../shared/store/renew.ts';
import { reset } from '../../shared/store/reset.ts';
import type { Write } from '../../shared/ports/tables.ts';
import { faultyRig, take } from '../support/faulty-rig.ts';
import { aimAt } from '../support/faulty-tables.ts';
import { startOutside } from '../support/outside-worker.ts';
import { anyPayload, type Rig } from '../support/rig.ts';

const MINUTE = 60_000;
const DEFAULT = { worker: 'default', lane: 'default', kind: 'standard' } as const;
const ERROR = { name: 'E', message: 'm', at: 0 };
const work = defineJob('work', { payload: anyPayload, retry: 'R1/PT1S' });

/** Aims at heartbeats: nothing else changes only the end of a lease. */
const aRenewal = (writes: readonly Write[]): boolean =>
  writes.some((write) => write.op === 'update' && write.table === 'jobs' && Object.keys(write.set).join() === 'lockExpiresAt');

async function pass(rig: Rig, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1_000) {
    await rig.settle();
    await rig.clock.advance(1_000);
  }
  await rig.settle();
}

describe('a heartbeat whose request goes wrong', () => {
  it('and arrives after the next one does not shorten the lease', async () => {
    const rig: ReturnType<typeof faultyRig> = faultyRig();
    const { id } = await rig.client.enqueue(work, {});
    const job = await take(rig, id);
    const [earlier, later] = [rig.clock.now() + MINUTE, rig.clock.now() + 2 * MINUTE];
    await renew(rig.tables, job, later);
    expect(await renew(rig.tables, job, earlier)).toMatchObject({ result: 'renewed', job: { lockExpiresAt: later } });
  });

  it.each(['lost-reply', 'lost-for-good', 'unavailable'] as const)(
    '(%s) neither ends the run nor keeps it from completing',
    async (fault) => {
      const rig: ReturnType<typeof faultyRig> = faultyRig({ handlers: [work.handle(({ signal }) => rig.clock.wait(3 * MINUTE, signal))] });
      const { id } = await rig.client.enqueue(work, {});
      rig.faults.next(aRenewal, fault, 2);
      const worker = startOutside(rig);
      await pass(rig, 4 * MINUTE);
      expect(rig.faults.pending()).toBe(0);
      expect(await rig.client.get(id)).toMatchObject({ state: 'finished', attempts: 1 });
      worker.stop();
      await rig.until(worker.ended);
    },
  );

  it.each(['complete', 'bury'] as const)('as the last one before the outcome is recorded: %s is recorded all the same', async (end) => {
    const rig: ReturnType<typeof faultyRig> = faultyRig({
      handlers: [
        work.handle(async () => {
          // Ends while the second heartbeat has just been lost.
          await rig.clock.wait(41_000);
          if (end === 'bury') throw new Error('in the end');
        }),
      ],
    });
    await rig.client.enqueue(work, {});
    const worker = startOutside(rig);
    await pass(rig, 30_000);
    rig.faults.next(aRenewal, 'lost-for-good');
    await pass(rig, 15_000);
    expect(rig.faults.pending()).toBe(0);
    expect(await rig.counts()).toMatchObject({ jobs: 0, deadLetters: end === 'bury' ? 1 : 0 });
    expect(rig.journal.count('lost-lease')).toBe(0);
    worker.stop();
    await rig.until(worker.ended);
  });
});

it('a run whose lease cannot be renewed is told the margin before the lease ends', async () => {
  let toldAt = Number.POSITIVE_INFINITY;
  const rig: ReturnType<typeof faultyRig> = faultyRig({
    handlers: [work.handle(({ signal }) => rig.clock.wait(9 * MINUTE, signal).then(() => void (toldAt = rig.clock.now())))],
  });
  await rig.client.enqueue(work, {});
  const worker = startOutside(rig);
  await pass(rig, 5_000);
  const until = Date.parse(String((await rig.rows('jobs'))[0]?.['lockExpiresAt']));
  rig.faults.next(aRenewal, 'unavailable', 20);
  await pass(rig, MINUTE);
  expect(toldAt).toBeLessThanOrEqual(until - rig.deployment.settings.leaseMarginMs);
  worker.stop();
  await rig.until(worker.ended);
});

describe('a lease that is renewed at the last moment', () => {
  it('is not reset by a sweeper that saw it run out', async () => {
    const rig = faultyRig({});
    const job = await take(rig, (await rig.client.enqueue(work, {})).id);
    await rig.clock.advance(10 * MINUTE);
    rig.faults.before(aimAt('update', 'jobs'), async () => renew(rig.tables, job, rig.clock.now() + MINUTE));
    const terms = { token: 't', now: rig.clock.now(), redispatchAfterMs: MINUTE };
    expect(await reset(rig.deps.tables, job, { ...terms, crashes: 1 })).toEqual({ result: 'lost' });
    expect((await rig.rows('jobs'))[0]).toMatchObject({ lockOwner: job.lockOwner });
  });

  it('is not buried by a sweeper that saw it run out for the last time', async () => {
    const rig = faultyRig({});
    const job = await take(rig, (await rig.client.enqueue(work, {})).id);
    await rig.clock.advance(10 * MINUTE);
    rig.faults.before(aimAt('delete', 'jobs'), async () => renew(rig.tables, job, rig.clock.now() + MINUTE));
    expect(await bury(rig.deps.tables, job, { reason: 'crash-loop', error: ERROR })).toEqual({ result: 'lost' });
    expect(await rig.counts()).toMatchObject({ jobs: 1, deadLetters: 0 });
    expect((await bury(rig.deps.tables, job, { reason: 'failed', error: ERROR, by: 'owner' })).result).toBe('dead');
  });

  it('is not taken over by who saw it run out', async () => {
    const rig = faultyRig({});
    const job = await take(rig, (await rig.client.enqueue(work, {})).id);
    await rig.clock.advance(10 * MINUTE);
    rig.faults.before(aimAt('update', 'jobs'), async () => renew(rig.tables, job, rig.clock.now() + MINUTE));
    const lease = { owner: executorOwner('other', true), expiresAt: rig.clock.now() + MINUTE };
    expect(await takeOver(rig.deps.tables, job, lease, { crashes: 0, now: rig.clock.now() })).toMatchObject({ result: 'held' });
  });

  it('cannot be renewed any more once another process has taken it', async () => {
    const rig = faultyRig({});
    const job = await take(rig, (await rig.client.enqueue(work, {})).id);
    await rig.clock.advance(10 * MINUTE);
    await rig.sweep();
    expect(await renew(rig.tables, job, rig.clock.now() + MINUTE)).toEqual({ result: 'lost' });
    const lease = { owner: executorOwner('other', true), expiresAt: rig.clock.now() + MINUTE };
    expect((await claim(rig.tables, { id: job.id, n: 2 }, lease, rig.clock.now())).result).toBe('claimed');
    expect(await renew(rig.tables, job, rig.clock.now() + MINUTE)).toEqual({ result: 'lost' });
  });
});

it('of several workers that get the same job again and again one runs it, in one lease', async () => {
  const run = vi.fn();
  const rig: Rig = faultyRig({
    handlers: [
      work.handle(async ({ signal }) => {
        run();
        await rig.clock.wait(10 * MINUTE, signal);
      }),
    ],
  });
  const { id } = await rig.client.enqueue(work, {});
  const workers = [1, 2, 3].map(() => startOutside(rig, { concurrency: 2 }));
  for (let minute = 0; minute < 9; minute++) {
    for (const n of [1, 2]) rig.hints.inject(DEFAULT, JSON.stringify({ v: 1, id, n }));
    await rig.sweep();
    await pass(rig, MINUTE);
  }
  expect(run).toHaveBeenCalledTimes(1);
  await pass(rig, 2 * MINUTE);
  expect(await rig.client.get(id)).toMatchObject({ state: 'finished', attempts: 1 });
  for (const worker of workers) worker.stop();
  await rig.until(Promise.all(workers.map(({ ended }) => ended)));
  expect(run).toHaveBeenCalledTimes(1);
});
