import { expect, test } from 'vitest';
import { readyRow } from '../../bench/frame/bare-job-row.ts';
import { noop, orderOf } from '../../bench/overhead/bench-job.ts';
import { batchedMeasurementsOf, measurementsOf, oneByOne } from '../../bench/overhead/bench-overhead.ts';
import { plainClients } from '../../bench/overhead/hand-written.ts';
import { means } from '../../bench/overhead/measure-overhead.ts';
import { sharesOf } from '../../bench/overhead/profile.ts';
import { createDynamoClient } from '../../shared/adapters/dynamodb/client.ts';
import { Rig } from '../support/rig.ts';

const frame = (id: number, functionName: string, url: string) => ({
  id,
  callFrame: { functionName, url, scriptId: '0', lineNumber: 0, columnNumber: 0 },
});

test('a profile is summed up by where the code lies, as shares of what was not idle', () => {
  const nodes = [
    frame(1, '(idle)', ''),
    frame(2, 'send', 'file:///x/node_modules/@smithy/core/dist-cjs/index.js'),
    frame(3, 'iso', 'file:///x/shared/job/instant.ts'),
    frame(4, 'request', 'node:_http_client'),
    frame(5, 'toString', 'node:buffer'),
    frame(6, '(garbage collector)', ''),
    frame(7, 'middy', 'file:///x/node_modules/@middy/core/index.js'),
    frame(8, 'digest', 'node:internal/crypto/hash'),
    frame(9, 'writev', ''),
    frame(10, 'run', 'file:///x/bench/overhead/sides.ts'),
  ];
  expect(sharesOf({ nodes, samples: [1, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10] })).toEqual({
    'AWS SDK': 0.2,
    'nightcrew/job': 0.1,
    'node: http': 0.2,
    'node: other': 0.1,
    'garbage collector': 0.1,
    '@middy/core': 0.1,
    'engine and system calls': 0.1,
    bench: 0.1,
  });
});

test('a round is the mean of its turns', () => {
  expect(means([1, 3, 10, 20], 2)).toEqual([2, 15]);
});

test('the target is judged by the ratio of both sides of a round', () => {
  const side = (wall: number, cpu: number) => ({ wall: [wall], cpu: [cpu] });
  const executor = { ours: side(230, 240), withHistory: side(300, 300), handWritten: side(200, 200), sdkDefaults: side(230, 480) };
  const found = measurementsOf({
    executor,
    enqueue: { ours: side(70, 60), handWritten: side(50, 100) },
    profile: { executor: {}, handWritten: {} },
  });
  expect(found.filter(({ target }) => target !== undefined)).toMatchObject([
    { id: 'overhead.job.wall', ours: { median: 300 }, ratio: { median: 1.2 }, met: false },
    { id: 'overhead.executor.wall', ratio: { median: 1.15 }, met: true },
    { id: 'overhead.job.cpu', ours: { median: 300 }, ratio: { median: 1 }, met: true },
    { id: 'overhead.executor.cpu', ratio: { median: 1.2 }, met: false },
  ]);
  expect(found.find(({ id }) => id === 'overhead.executorBesideDefaults.cpu')?.ratio?.median).toBe(0.5);
});

test('batches are judged by the CPU beside a request for each write, and beside a bare loop in batches; single writes by the first', () => {
  const side = (cpu: number) => ({ wall: [cpu], cpu: [cpu] });
  const found = batchedMeasurementsOf({
    executor: { ours: side(400), batchingOff: side(1_300), handWritten: side(1_000), byHand: side(300) },
    requests: 0.25,
    profile: { executor: {}, byHand: {} },
  });
  expect(found.map(({ id, ratio, met }) => [id, ratio?.median, met])).toEqual([
    ['overhead.batched.handWritten.wall', 0.4, undefined],
    ['overhead.batched.byHand.wall', 4 / 3, undefined],
    ['overhead.batched.handWritten.cpu', 0.4, true],
    ['overhead.batched.byHand.cpu', 4 / 3, false],
    ['overhead.batchingOff.wall', 1.3, undefined],
    ['overhead.batchingOff.cpu', 1.3, false],
    ['overhead.batched.requests', undefined, true],
  ]);
});

test('the hand-written put stores every attribute that ours does', async () => {
  const rig = new Rig();
  await rig.client.enqueue(noop, orderOf(1));
  const [row] = await rig.rows('jobs');
  const byHand = readyRow({ type: 'bench.noop', payload: orderOf(1) }, Date.now());
  expect(Object.keys(byHand).toSorted()).toEqual(Object.keys(row ?? {}).toSorted());
});

test('the hand-written clients differ from ours in nothing that costs time', () => {
  const [ours, plain] = [createDynamoClient({ region: 'x' }), plainClients().dynamo];
  expect(plain.middlewareStack.identify().toSorted()).toEqual(ours.middlewareStack.identify().toSorted());
});

test('the short form gives every figure, from the real handler and the hand-written one', async () => {
  const { measurements, profile } = await oneByOne({ rounds: 1, short: true, scenarios: [], progress: () => {} });
  expect(measurements.map(({ id }) => id)).toEqual(
    ['wall', 'cpu'].flatMap((kind) =>
      ['job', 'executor', 'executorBesideDefaults', 'history', 'enqueue'].map((id) => `overhead.${id}.${kind}`),
    ),
  );
  expect(measurements.every(({ ours, baseline }) => ours.min > 0 && (baseline?.min ?? 0) > 0)).toBe(true);
  expect(Object.keys(profile['executor'] ?? {})).toContain('AWS SDK');
});
