import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../shared/job/errors.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { faultyRig, loseMessages } from '../support/faulty-rig.ts';
import { aimAt } from '../support/faulty-tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const work = defineJob('work', { payload: anyPayload });

/** Whether the sweep got as far as telling that it runs. */
const toldThatItRuns = (rig: Rig): boolean => rig.journal.gauges.some(({ name }) => name === 'sweeper-heartbeat');

describe('a sweep with a store in trouble', () => {
  it('leaves a suspended job alone whose resume is throttled, resumes the others, and tries it again next time', async () => {
    const rig = faultyRig();
    await rig.client.enqueueMany(work, [{}, {}, {}]);
    await rig.drain();
    expect(await rig.counts()).toMatchObject({ suspended: 3 });
    await rig.clock.advance(2 * MINUTE);
    rig.faults.next(aimAt('put', 'jobs'), 'unavailable');
    expect((await rig.sweep()).resumed).toBe(2);
    expect(rig.faults.pending()).toBe(0);
    expect(await rig.counts()).toMatchObject({ jobs: 2, suspended: 1, deadLetters: 0 });
    expect((await rig.sweep()).resumed).toBe(1);
  });

  it('tells that it runs although a suspended job cannot be read', async () => {
    const rig = faultyRig();
    await rig.client.enqueue(work, {});
    await rig.drain();
    await rig.clock.advance(2 * MINUTE);
    rig.faults.unreadable((read) => read.op === 'get' && read.table === 'suspended');
    expect((await rig.sweep()).resumed).toBe(0);
    expect(rig.faults.pending()).toBe(0);
    expect(toldThatItRuns(rig)).toBe(true);
    expect(rig.journal.count('store-failed')).toBe(1);
  });

  it('settles the other segments, wakes what is suspended and tells that it runs although one segment cannot be scanned', async () => {
    const rig = faultyRig();
    await rig.client.enqueue(defineJob('unknown', { payload: anyPayload }), {});
    await rig.drain();
    await rig.client.enqueueMany(
      work,
      Array.from({ length: 40 }, () => ({})),
    );
    loseMessages(rig);
    await rig.clock.advance(HOUR);
    rig.faults.unreadable((read) => read.op === 'scan' && read.segment === 1);
    const { counts, resumed } = await rig.sweep();
    expect(rig.faults.pending()).toBe(0);
    expect(counts.reset).toBeGreaterThan(10);
    expect(counts.reset).toBeLessThan(40);
    expect(resumed).toBe(1);
    expect(toldThatItRuns(rig)).toBe(true);
    expect(rig.journal.entries).toContainEqual(expect.objectContaining({ event: 'store-failed', reason: 'segment#1' }));
  });

  it('stops before its deadline when each write is slow, sends what it reset, and the next sweep goes on with the very next row', async () => {
    const rig = new Rig({ settings: { sweepParallelWrites: 4, sweepPageSize: 20 } });
    await rig.client.enqueueMany(
      work,
      Array.from({ length: 200 }, () => ({})),
    );
    loseMessages(rig);
    await rig.clock.advance(HOUR);
    const write = rig.tables.write.bind(rig.tables);
    rig.tables.write = async (...args) => {
      if (args[0].table === 'jobs') await rig.clock.wait(2_000);
      return write(...args);
    };
    const start = rig.clock.now();
    const { counts } = await rig.until(rig.sweep(), 1_000);
    expect(rig.clock.now() - start).toBeLessThan(60_000);
    const reset = counts.reset ?? 0;
    expect(reset).toBeGreaterThan(20);
    expect(reset).toBeLessThan(200);
    expect(await rig.hints.visible({ worker: 'default', lane: 'default', kind: 'standard' })).toBe(reset);
    rig.tables.write = write;
    loseMessages(rig);
    expect((await rig.sweep()).counts.reset).toBe(200 - reset);
  });
});

describe('jobs that wait for a worker that knows their type', () => {
  it('are woken by turns: one type with many jobs does not starve another', async () => {
    const rig = new Rig({ settings: { resumesPerRun: 10 } });
    await rig.client.enqueueMany(
      defineJob('aaa', { payload: anyPayload }),
      Array.from({ length: 30 }, () => ({})),
    );
    const { id } = await rig.client.enqueue(defineJob('zzz', { payload: anyPayload }), {});
    await rig.drain();
    await rig.clock.advance(2 * MINUTE);
    const { resumed } = await rig.sweep();
    expect(resumed).toBeGreaterThan(1);
    expect(resumed).toBeLessThanOrEqual(10);
    expect((await rig.client.get(id))?.state).toBe('ready');
  });

  it('leave half of the time of a run to its later duties', async () => {
    const rig = new Rig({ settings: { resumesPerRun: 1_000 } });
    const { id } = await rig.client.createBatch();
    await rig.client.enqueueMany(
      work,
      Array.from({ length: 100 }, () => ({})),
    );
    await rig.drain();
    await rig.clock.advance(2 * MINUTE);
    await rig.tables.write({ op: 'update', table: 'control', key: { pk: `batch#${id}`, sk: 'head' }, set: { state: 'sealed' } });
    const transact = rig.tables.transact.bind(rig.tables);
    rig.tables.transact = async (...args) => {
      if (args[0].some(({ table }) => table === 'suspended')) await rig.clock.advance(1_000);
      return transact(...args);
    };
    const { resumed } = await rig.sweep();
    expect(resumed).toBeGreaterThan(20);
    expect(resumed).toBeLessThan(50);
    expect(await rig.client.batch(id)).toMatchObject({ state: 'finished' });
  });
});

describe('what the sweeper tells of itself', () => {
  const told = (rig: Rig): string[] => rig.journal.gauges.map(({ name }) => name);
  const failScans = (rig: Rig, segments: readonly number[]): void => {
    const scan = rig.tables.scan.bind(rig.tables);
    rig.tables.scan = async (asked) => {
      if (segments.includes(asked.segment)) throw new StoreUnavailableError('test', new Error('throttled'));
      return scan(asked);
    };
  };

  it('is no age when a segment was not read: a zero that was not measured would end an alarm', async () => {
    const rig = new Rig();
    failScans(rig, [2]);
    await rig.sweep();
    expect(told(rig)).toEqual(['sweeper-heartbeat']);
  });

  it('is nothing at all, and the run fails, when no segment could be read', async () => {
    const rig = new Rig();
    failScans(rig, [0, 1, 2, 3]);
    await expect(rig.sweep()).rejects.toThrow(StoreUnavailableError);
    expect(told(rig)).toEqual([]);
  });
});
