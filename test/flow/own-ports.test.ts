import { createCleaner } from '../../functions/cleaner/create-cleaner.ts';
import { createMemoryPayloads } from '../../shared/adapters/memory/payloads.ts';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createAdmin } from '../../operate/index.ts';
import { systemClock } from '../../shared/adapters/system.ts';
import { silentJournal } from '../../shared/adapters/observability/silent-journal.ts';
import { decodeEnvironment } from '../../shared/config/environment.ts';
import { createJobClient, defineJob, deploymentEnvironment, type OwnPorts } from '../../shared/index.ts';
import { createMemoryHints, createMemoryHintSource, createMemoryTables, type MemoryHints } from '../../testing/index.ts';
import { createAcquirer, createExecutor, createSweeper, external, runWorker } from '../../functions/index.ts';
import { WAIT } from '../support/patience.ts';
import { anyPayload } from '../support/rig.ts';

const work = defineJob('work', { payload: anyPayload });
const environment = deploymentEnvironment({ worker: 'default' });
const QUEUE = { worker: 'default', lane: 'default', kind: 'standard' } as const;
const common = { environment, journal: silentJournal };
const context = { awsRequestId: 'request', getRemainingTimeInMillis: () => 60_000 };

function memoryPorts(): { readonly ports: Required<OwnPorts> & { readonly hints: MemoryHints } } {
  const hints = createMemoryHints({ clock: systemClock, workers: decodeEnvironment(environment).workers, visibilityMs: 300_000 });
  const tables = createMemoryTables({ clock: systemClock });
  return { ports: { tables, hints, source: createMemoryHintSource(hints, systemClock) } };
}

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** An event as an event source makes it of the messages that wait. */
function eventOf(hints: MemoryHints): Parameters<ReturnType<typeof createExecutor>>[0] {
  return {
    Records: hints.receive(QUEUE, 10).map((message) => ({ ...message, eventSourceARN: 'own:default.default' })),
  };
}

describe('with ports of one’s own', () => {
  test('a client, an executor and an admin run a job whole, without a variable of AWS', async () => {
    for (const name of Object.keys(process.env).filter((one) => one.startsWith('AWS_'))) vi.stubEnv(name, undefined);
    const { ports } = memoryPorts();
    const ran: unknown[] = [];
    const client = createJobClient({ ...common, ports });
    const executor = createExecutor([work.handle(({ payload }) => void ran.push(payload))], { ...common, ports });
    const admin = createAdmin({ ...common, ports });
    const { id } = await client.enqueue(work, { n: 1 });
    expect((await admin.list({ state: 'ready' })).jobs).toMatchObject([{ id, type: 'work' }]);
    expect(await executor(eventOf(ports.hints), context)).toEqual({ batchItemFailures: [] });
    expect(ran).toEqual([{ n: 1 }]);
    expect(await client.get(id)).toMatchObject({ state: 'finished', outcome: 'completed' });
    expect((await admin.timeline(id))?.entries.length).toBeGreaterThan(0);
  });

  test('a timer is fired by an acquirer, run by a worker that polls, and a sweeper finds nothing to do', async () => {
    const { ports } = memoryPorts();
    const stop = new AbortController();
    const ran: unknown[] = [];
    const client = createJobClient({ ...common, ports });
    const worker = runWorker([work.handle(({ payload }) => void ran.push(payload))], { ...common, ports, signal: stop.signal });
    const { id } = await client.enqueue(work, { n: 2 }, { delay: 'PT2H' });
    const now = Date.now.bind(Date);
    vi.spyOn(Date, 'now').mockImplementation(() => now() + 2 * 3_600_000);
    expect(await createAcquirer({ ...common, ports })({}, context)).toMatchObject({ fired: 1 });
    await vi.waitFor(async () => expect(await client.get(id)).toMatchObject({ state: 'finished' }), WAIT);
    expect(ran).toEqual([{ n: 2 }]);
    expect(await createSweeper({ ...common, ports })({}, context)).toMatchObject({ counts: {} });
    const cleaner = createCleaner({ ...common, ports, payloads: createMemoryPayloads() });
    expect(await cleaner({}, context)).toEqual({ removed: 0, referred: 0, young: 0, foreign: 0, complete: true });
    stop.abort();
    await worker;
  });

  test('foreign code fetches and completes a job', async () => {
    const { ports } = memoryPorts();
    const { id } = await createJobClient({ ...common, ports }).enqueue(work, {});
    const session = external('default', { ...common, ports });
    const [task] = await session.fetchAndLock(1, 'PT1M');
    expect(task).toMatchObject({ id });
    expect(await session.complete(id, task?.token ?? '')).toEqual({ result: 'completed' });
  });

  test('foreign code reports to the event log of the deployment', async () => {
    const { ports } = memoryPorts();
    const logged = { ...common, environment: { ...environment, NIGHTCREW_EVENTS: '{"log":true}' }, ports };
    const { id } = await createJobClient({ ...common, ports }).enqueue(work, {});
    const session = external('default', logged);
    const [task] = await session.fetchAndLock(1, 'PT1M');
    await session.complete(id, task?.token ?? '');
    const now = Date.now.bind(Date);
    vi.spyOn(Date, 'now').mockImplementation(() => now() + 20_000);
    const { events } = await createAdmin({ ...common, ports }).events();
    expect(events.map(({ event, job }) => [event, job.id])).toEqual([
      ['started', id],
      ['completed', id],
    ]);
  });

  test('a prepared job is writes of the own store', async () => {
    const { ports } = memoryPorts();
    const prepared = createJobClient({ ...common, ports }).prepare(work, {});
    expect((await ports.tables.transact(prepared.items, 'own')).applied).toBe(true);
    expect(await ports.tables.get('jobs', { id: prepared.id })).toMatchObject({ type: 'work' });
  });

  test('copies of tables of DynamoDB are refused by name', async () => {
    const { ports } = memoryPorts();
    const reconcile = createAdmin({ ...common, ports }).reconcile({ copies: { jobs: 'jobs-before' } });
    await expect(reconcile).rejects.toThrow(/copies\.jobs: "jobs-before" is not valid\. This session reaches no other tables/);
  });

  test.each([
    [[], /ports: .* Give an object of options/],
    [{}, /ports: an object is not valid\. Give tables, hints or both/],
    [{ table: {} }, /ports: "table" is not valid\. Did you mean tables\?/],
    [{ tables: undefined }, /ports\.tables\.get: undefined is not valid\. Give an adapter with this method/],
    [{ hints: { send: () => [] } }, /ports\.hints\.postpone: undefined is not valid/],
    [{ ...memoryPorts().ports, tables: { ...memoryPorts().ports.tables, scan: 'no' } }, /ports\.tables\.get: undefined/],
  ] as const)('%o is refused before anything is done', async (ports, said) => {
    const options = { ...common, ports: ports as unknown as OwnPorts };
    expect(() => createExecutor([], options)).toThrow(said);
    expect(() => createAdmin(options)).toThrow(said);
    expect(() => createJobClient(options)).toThrow(said);
    await expect(runWorker([], options)).rejects.toThrow(said);
    expect(() => external('default', options)).toThrow(said);
  });

  test('who polls must be given the queue and where to receive from, or neither', async () => {
    const { hints, source } = memoryPorts().ports;
    await expect(runWorker([], { ...common, ports: { hints } })).rejects.toThrow(/ports\.source: undefined is not valid\. Give it too/);
    expect(() => external('default', { ...common, ports: { source } })).toThrow(/ports\.hints: undefined is not valid\. Give it too/);
  });
});
