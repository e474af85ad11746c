import { expect, test } from 'vitest';
import { systemClock } from '../../shared/adapters/system.ts';
import { silentJournal } from '../../shared/adapters/observability/silent-journal.ts';
import { decodeEnvironment } from '../../shared/config/environment.ts';
import { deploymentEnvironment, type OwnPorts } from '../../shared/index.ts';
import { createMemoryHints, createMemoryHintSource, createMemoryTables } from '../../testing/index.ts';
import { createHttpApi, type HttpApiOptions } from '../../functions/index.ts';
import { httpEvent } from '../support/http-api.ts';

const environment = deploymentEnvironment({ workers: { default: {}, scanner: {}, gpu: {} } });
const context = { awsRequestId: 'request', getRemainingTimeInMillis: () => 60_000 };

function memoryPorts(): Required<OwnPorts> {
  const hints = createMemoryHints({ clock: systemClock, workers: decodeEnvironment(environment).workers, visibilityMs: 300_000 });
  return { tables: createMemoryTables({ clock: systemClock }), hints, source: createMemoryHintSource(hints, systemClock) };
}

function functionOf(options: HttpApiOptions) {
  const handler = createHttpApi({ environment, journal: silentJournal, ...options });
  return async (method: string, path: string, body?: unknown) => {
    const { statusCode, body: text } = await handler(httpEvent(method, path, body), context);
    return { status: statusCode, body: JSON.parse(text) };
  };
}

test('the function serves a job from enqueue to completion', async () => {
  const call = functionOf({ ports: memoryPorts(), workers: ['scanner'] });
  expect(await call('POST', '/jobs', { type: 'convert', worker: 'scanner', payload: { file: 'a' } })).toMatchObject({ status: 201 });
  const { body } = await call('POST', '/fetch-and-lock', { worker: 'scanner' });
  const [{ id, lock }] = body.jobs;
  expect(await call('POST', `/jobs/${id}/complete`, { lock, result: 3 })).toEqual({ status: 200, body: { result: 'completed' } });
  expect(await call('GET', `/jobs/${id}`)).toMatchObject({ status: 200, body: { state: 'finished' } });
});

test('hands out jobs of the workers that its environment names, and of no others', async () => {
  const known = { ...environment, NIGHTCREW_EXTERNAL_WORKERS: 'scanner,gpu' };
  const call = functionOf({ ports: memoryPorts(), environment: known });
  const statuses = async (of: typeof call): Promise<readonly number[]> =>
    Promise.all(['scanner', 'gpu', 'default'].map(async (worker) => (await of('POST', '/fetch-and-lock', { worker })).status));
  expect(await statuses(call)).toEqual([200, 200, 400]);
  expect(await statuses(functionOf({ ports: memoryPorts() }))).toEqual([400, 400, 400]);
});

test('reports each worker once in a while, however often its jobs are fetched', async () => {
  const ports = memoryPorts();
  const reports: unknown[] = [];
  const write: typeof ports.tables.write = async (one, window) => {
    if (one.op === 'update' && one.set?.['lastSeen'] !== undefined) reports.push(one.set['worker']);
    return ports.tables.write(one, window);
  };
  const call = functionOf({
    ports: { ...ports, tables: Object.assign(Object.create(ports.tables) as typeof ports.tables, { write }) },
    workers: ['scanner', 'gpu'],
  });
  for (const worker of ['scanner', 'gpu', 'scanner']) await call('POST', '/fetch-and-lock', { worker });
  expect(reports).toEqual(['scanner', 'gpu']);
});

test('must be given the queue and where to receive from, or neither', () => {
  const { hints } = memoryPorts();
  expect(() => createHttpApi({ environment, ports: { hints } })).toThrow(/ports\.source: undefined is not valid\. Give it too/);
});
