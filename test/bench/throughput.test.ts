import { describe, expect, test } from 'vitest';
import { bareJob, bareTimer } from '../../bench/throughput/bare-row.ts';
import { growthPer } from '../../bench/throughput/heap-growth.ts';
import { order, orders } from '../../bench/throughput/orders.ts';
import { paceLines } from '../../bench/throughput/per-second.ts';
import { isJobId, shardOf } from '../../shared/job/job-id.ts';
import { decodeJob, decodeLeasedJob } from '../../shared/store/job-codec.ts';
import { toRow } from '../../shared/adapters/dynamodb/marshal.ts';
import { Rig } from '../support/rig.ts';

const DUE = Date.parse('2026-01-01T00:00:00.000Z');
const [first] = orders(1) as [ReturnType<typeof orders>[0]];
const attributes = (row: object): string[] => Object.keys(row).toSorted();

describe('the growth of a heap', () => {
  test('is taken from look to look, for so many jobs', () => {
    const looks = [
      { jobs: 10, bytes: 1_000 },
      { jobs: 20, bytes: 1_500 },
      { jobs: 40, bytes: 1_300 },
    ];
    expect(growthPer(100, looks)).toEqual([5_000, -1_000]);
  });

  test('is unknown after a single look', () => expect(growthPer(100, [{ jobs: 10, bytes: 1_000 }])).toEqual([]));
});

describe('the rows of the bare loops', () => {
  test('have the attributes of ours, so that neither side stores less', async () => {
    const rig = new Rig();
    await rig.client.enqueueMany(order, [first]);
    await rig.client.enqueueMany(order, [first], { delay: 'PT1H' });
    const [[job], [timer]] = await Promise.all([rig.rows('jobs'), rig.rows('timers')]);
    expect(attributes(bareJob(first, DUE))).toEqual(attributes(job ?? {}));
    expect(attributes(bareTimer(first, DUE, '07'))).toEqual(attributes(timer ?? {}));
  });

  test('can be read by the acquirer and by the sweeper', () => {
    const timer = decodeJob(toRow(bareTimer(first, DUE, '2a')));
    expect(isJobId(timer.id)).toBe(true);
    expect(shardOf(timer.id)).toBe('2a');
    const { id, ...job } = toRow(bareJob(first, DUE));
    expect(decodeLeasedJob({ ...job, id: timer.id, orphan: String(id) }).dueAt).toBe(DUE);
  });
});

test('a comparison is held against four fifths of the bare loop by its rate, and not by its CPU time', () => {
  const what = { id: 'x', what: 'work, of many', item: 'job', baselineName: 'bare' };
  const lines = paceLines(what, { ours: { rate: [79], cpu: [2] }, bare: { rate: [100], cpu: [1] } });
  expect(lines.map(({ id, unit, met }) => ({ id, unit, met }))).toEqual([
    { id: 'x', unit: 'jobs/s', met: false },
    { id: 'x.cpu', unit: 'µs a job', met: undefined },
  ]);
});
