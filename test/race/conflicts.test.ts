import { describe, expect, it, vi } from 'vitest';
import { StoreUnavailableError } from '../../shared/job/errors.ts';
import { shardOf } from '../../shared/job/job-id.ts';
import { defineJob, type JobHandler } from '../../shared/job/job-type.ts';
import { snooze } from '../../shared/job/verdict.ts';
import type { Write } from '../../shared/ports/tables.ts';
import { faultyRig, take } from '../support/faulty-rig.ts';
import { type Aim, aimAt } from '../support/faulty-tables.ts';
import { anyPayload } from '../support/rig.ts';

const HOUR = 3_600_000;
const DEFAULT = { worker: 'default', lane: 'default', kind: 'standard' } as const;
const work = defineJob('work', { payload: anyPayload });

describe('an enqueue that meets another transaction', () => {
  it.each([
    ['at its key', { key: 'k' }, aimAt('put', 'control')],
    ['at its row', { key: 'k' }, aimAt('put', 'jobs')],
    ['where its own id must be absent', {}, aimAt('check', 'history')],
  ] as const)('%s is no duplicate of anything: it may be tried again', async (_name, options, aim) => {
    const rig = faultyRig();
    const id = rig.client.newId();
    rig.faults.next(aim, 'conflict');
    const error = await rig.client.enqueue(work, {}, { ...options, id }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(error).toMatchObject({ retryable: true });
    expect(rig.faults.pending()).toBe(0);
    expect(await rig.counts()).toMatchObject({ jobs: 0, control: 0 });
    expect(await rig.client.enqueue(work, {}, { ...options, id })).toEqual({ id, duplicate: false });
  });
});

describe('a completion that meets another transaction', () => {
  it.each([
    ['at the row', 'outcome', aimAt('delete', 'jobs')],
    ['at the key', 'outcome', aimAt('delete', 'control')],
    ['at the row, with durable history', 'durable', aimAt('delete', 'jobs')],
    ['in History', 'durable', aimAt('put', 'history')],
  ] as const)('%s is asked again: the job ran once, and neither row nor key stay behind', async (_name, history, aim) => {
    const run = vi.fn();
    const rig = faultyRig({ history, handlers: [work.handle(run)] });
    const { id } = await rig.client.enqueue(work, {}, { key: 'k' });
    rig.faults.next(aim, 'conflict', 2);
    await rig.until(rig.execute(rig.hints.receive(DEFAULT, 10)));
    expect(rig.faults.pending()).toBe(0);
    expect(await rig.counts()).toMatchObject({ jobs: 0, control: 0 });
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', outcome: 'completed' });
    expect(rig.journal.count('lost-lease')).toBe(0);
    expect(run).toHaveBeenCalledTimes(1);
  });
});

describe('a cancel that meets another transaction', () => {
  it.each([
    ['at the row', aimAt('delete', 'jobs')],
    ['at the key', aimAt('delete', 'control')],
  ])('%s says so, and leaves job and key as they were', async (_name, aim) => {
    const rig = faultyRig();
    const key = { value: 'k', for: 'P30D' };
    const { id } = await rig.client.enqueue(work, {}, { key });
    rig.faults.next(aim, 'conflict');
    const error = await rig.client.cancel(id).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(error).toMatchObject({ retryable: true });
    expect(rig.faults.pending()).toBe(0);
    expect((await rig.client.get(id))?.state).toBe('ready');
    expect(await rig.client.enqueue(work, {}, { key })).toEqual({ id, duplicate: true });
    expect(await rig.client.cancel(id)).toBe('cancelled');
    expect((await rig.client.enqueue(work, {}, { key })).duplicate).toBe(false);
  });
});

describe('a job on its way that meets another transaction', () => {
  const fails = (): never => {
    throw new Error('no');
  };
  const moves: [string, { run: JobHandler; retry: string; aim: Aim; state: string }][] = [
    ['to Timers after a failure', { run: fails, retry: 'R3/PT1H', aim: aimAt('put', 'timers'), state: 'waiting' }],
    ['to Timers to sleep', { run: () => snooze('PT1H'), retry: 'never', aim: aimAt('delete', 'jobs'), state: 'waiting' }],
    ['to the dead letters', { run: fails, retry: 'never', aim: aimAt('put', 'deadLetters'), state: 'dead' }],
  ];
  it.each(moves)('%s goes on', async (_name, { run, retry, aim, state }) => {
    const rig = faultyRig({ handlers: [work.handle(run)] });
    const { id } = await rig.client.enqueue(work, {}, { retry });
    rig.faults.next(aim, 'conflict', 2);
    await rig.until(rig.execute(rig.hints.receive(DEFAULT, 10)));
    expect(rig.faults.pending()).toBe(0);
    expect((await rig.client.get(id))?.state).toBe(state);
    expect(rig.journal.count('lost-lease')).toBe(0);
  });

  it('into Suspended goes on', async () => {
    const rig = faultyRig();
    const { id } = await rig.client.enqueue(work, {});
    rig.faults.next(aimAt('put', 'suspended'), 'conflict', 2);
    await rig.drain();
    expect(rig.faults.pending()).toBe(0);
    expect((await rig.client.get(id))?.state).toBe('suspended');
  });

  it.each([
    ['where it waits', 'delete'],
    ['where it is to be ready', 'put'],
  ])('%s fires at the next tick, its neighbours of the same transaction at once', async (_name, op) => {
    const rig = faultyRig();
    const ids: string[] = [];
    for (let n = 0; ids.length < 3; n++) {
      const id = rig.client.newId({ runAt: rig.clock.now() + HOUR + n });
      if (shardOf(id) !== shardOf(ids[0] ?? id)) continue;
      await rig.client.enqueue(work, {}, { id });
      ids.push(id);
    }
    const unlucky = ids[1] ?? '';
    await rig.clock.advance(HOUR);
    const meets = (write: Write): boolean =>
      write.op === op && JSON.stringify(write.op === 'put' ? write.row : write.key).includes(unlucky);
    rig.faults.next((writes) => writes.some(meets), 'conflict');
    expect((await rig.fire()).fired).toBe(2);
    expect(rig.faults.pending()).toBe(0);
    expect((await rig.client.get(unlucky))?.state).toBe('waiting');
    expect((await rig.fire()).fired).toBe(1);
  });
});

describe('a row that cannot be read and meets another transaction', () => {
  it('is not given up: the next sweep sets it aside', async () => {
    const rig = faultyRig();
    const { id } = await rig.client.enqueue(work, {});
    await take(rig, id);
    await rig.tables.write({ op: 'update', table: 'jobs', key: { id }, set: { failures: 'many' } });
    await rig.clock.advance(HOUR);
    rig.faults.next(aimAt('put', 'deadLetters'), 'conflict');
    expect((await rig.sweep()).counts).toEqual({ failed: 1 });
    expect(rig.faults.pending()).toBe(0);
    expect((await rig.sweep()).counts).toEqual({ quarantined: 1 });
  });
});
