import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { expect, test, vi } from 'vitest';
import { encodeEnvironment } from '../../../shared/config/environment.ts';
import { TABLE_NAMES } from '../../../shared/ports/table-spec.ts';
import type { TableName } from '../../../shared/ports/tables.ts';
import { defineJob } from '../../../shared/job/job-type.ts';
import { external, runWorker, type RunWorkerOptions } from '../../../functions/index.ts';
import { anyPayload } from '../../support/rig.ts';

const tables = Object.fromEntries(TABLE_NAMES.map((name) => [name, name])) as Record<TableName, string>;
const workers = {
  gpu: { lanes: { urgent: 'q/urgent', default: 'q/default' }, from: { urgent: 10 }, fifo: 'q/x.fifo' },
  cpu: { lanes: { default: 'q/c' } },
};
const environment = encodeEnvironment({ tables, workers, worker: 'gpu' });
const train = defineJob('train', { payload: anyPayload, worker: 'gpu' });
const handlers = [train.handle(() => undefined)];

test.each<readonly [string, RunWorkerOptions, string]>([
  ['no job at a time', { concurrency: 0 }, 'concurrency: 0'],
  ['half a job at a time', { concurrency: 1.5 }, 'concurrency: 1.5'],
  ['a drain that is no duration', { drain: 'soon' }, 'drain: "soon"'],
  ['an option that there is none of', { concurency: 2 } as never, 'concurency'],
  [
    'a lane that the worker has not',
    { lanes: ['slow'] },
    'lanes: "slow" is not valid. Give some of those that the worker has: fifo, urgent, default',
  ],
  ['no lanes at all', { lanes: [] }, 'lanes'],
  ['no environment', { environment: {} }, 'NIGHTCREW_TABLES is not set'],
  ['an environment of no worker', { environment: encodeEnvironment({ tables, workers }) }, 'NIGHTCREW_WORKER is not set'],
  ['the environment of another worker', { environment: encodeEnvironment({ tables, workers, worker: 'cpu' }) }, 'belongs to worker "gpu"'],
  [
    'a lease that it could not renew in time',
    { environment: encodeEnvironment({ tables, workers, worker: 'gpu', settings: { leaseMarginMs: 40_000 } }) },
    'workerLease: 60000 ms',
  ],
])('a worker is not started with %s', async (_, options, message) => {
  await expect(runWorker(handlers, { environment, signal: AbortSignal.abort(), ...options })).rejects.toThrow(message);
});

test('a worker that is told to stop before it starts takes nothing', async () => {
  await expect(runWorker(handlers, { environment, signal: AbortSignal.abort() })).resolves.toBeUndefined();
});

test.each<readonly [string, (options: Pick<RunWorkerOptions, 'environment' | 'journal'>) => unknown]>([
  ['a worker', async (options) => runWorker(handlers, { ...options, signal: AbortSignal.abort() })],
  ['a foreign worker', (options) => external('gpu', options)],
])('%s tells which settings its version does not know', async (_, start) => {
  const record = vi.fn();
  const newer = encodeEnvironment({ tables, workers, worker: 'gpu', settings: { ofTomorrow: 5 } });
  await start({ environment: newer, journal: { record, gauge: () => {}, flush: () => {} } });
  expect(record).toHaveBeenCalledWith(
    expect.objectContaining({ event: 'unknown-settings', reason: expect.stringContaining('ofTomorrow') as string }),
  );
});

test('a worker that was stopped has told everything and closed its connections', async () => {
  const closed = [vi.spyOn(SQSClient.prototype, 'destroy'), vi.spyOn(DynamoDBClient.prototype, 'destroy')];
  const journal = { record: () => {}, gauge: () => {}, flush: vi.fn() };
  await runWorker(handlers, { environment, signal: AbortSignal.abort(), journal });
  expect(journal.flush).toHaveBeenCalled();
  expect(closed.map(({ mock }) => mock.calls.length)).toEqual([2, 1]);
  for (const spy of closed) spy.mockRestore();
});

test('a foreign worker is told which workers there are', () => {
  expect(() => external('tpu', { environment })).toThrow('tpu is not a worker of this deployment. Known are: gpu, cpu');
  expect(() => external('gpu', { environment: {} })).toThrow('NIGHTCREW_TABLES is not set');
  expect(() => external('GPU!', { environment })).toThrow('worker: "GPU!"');
  expect(() => external('gpu', { environment, lane: 'urgent' } as never)).toThrow('lane');
});
