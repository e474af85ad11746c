import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Region, startRegion } from '../../local/region.ts';
import { createAdmin } from '../../operate/index.ts';
import { systemClock, systemEntropy } from '../../shared/adapters/system.ts';
import type { JobState } from '../../shared/job/job.ts';
import { TRANSITIONS } from '../../shared/job/transitions.ts';
import { createDynamoTables } from '../../shared/adapters/dynamodb/tables.ts';
import { continueWith, createJobClient, defineSchedule, followUp } from '../../shared/index.ts';
import { silentJournal } from '../../shared/adapters/observability/silent-journal.ts';
import type { Journal, JournalEntry } from '../../shared/ports/journal.ts';
import type { Tables } from '../../shared/ports/tables.ts';
import { claim } from '../../shared/store/claim.ts';
import { idKey } from '../../shared/store/rows.ts';
import { createExecutor, runWorker } from '../../functions/index.ts';
import { WAIT } from '../support/patience.ts';
import { FIRST, narrow, outside, rated, slow, stranger, work } from './lifecycle-jobs.ts';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const entries: JournalEntry[] = [];
const journal: Journal = { ...silentJournal, record: (entry) => void entries.push(entry) };
const seen = (event: JournalEntry['event'], id?: string): boolean =>
  entries.some((entry) => entry.event === event && (id === undefined || entry.job?.id === id));
/** Verbs that were seen to happen, through the real protocols of DynamoDB and SQS. */
const walked = new Set<string>();

/** Batches whose callback ran. */
const calledBack: string[] = [];

let region: Region;
let jobs: ReturnType<typeof createJobClient>;
let tables: Tables;
const cranks = new AbortController();

beforeAll(async () => {
  const handlers = [
    work.handle(async ({ payload, job, signal, state, progress }) => {
      if (job.callbackOf !== undefined) calledBack.push(job.callbackOf);
      if (payload['do'] === 'continue' && state === undefined) {
        progress(50, 'half');
        return continueWith('half');
      }
      if (payload['do'] === 'wait') await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
      return job.attempt === 1 || payload['always'] === true ? FIRST[String(payload['do'])]?.() : undefined;
    }),
    narrow.handle(({ payload }) => systemClock.wait(Number(payload['ms']))),
    rated.handle(() => undefined),
    slow.handle(({ payload }) => new Promise((resolve) => setTimeout(resolve, Number(payload['ms'])))),
  ];
  region = await startRegion({
    workers: {
      default: {
        lanes: { urgent: { from: 100 }, default: { to: 99 } },
        createExecutor: (environment, sandbox) => createExecutor(handlers, { environment, sandbox, journal, log: () => log }),
      },
      machine: { outside: true, groups: false },
    },
    journal,
    tickMs: 0,
    hostEnvironment: {},
  });
  jobs = createJobClient({ environment: region.environment, journal });
  tables = createDynamoTables({ client: region.dynamo, names: region.tables, clock: systemClock, entropy: systemEntropy });
});

afterAll(async () => {
  cranks.abort();
  await region.stop(0);
});

/** Ticks both functions until the tests are over. */
async function turnTheCrank(): Promise<void> {
  while (!cranks.signal.aborted) {
    await Promise.all([region.acquire(), region.sweep()]);
    await systemClock.wait(300, cranks.signal);
  }
}

const expectState = async (id: string, state: JobState, more: object = {}): Promise<void> =>
  vi.waitFor(async () => expect(await jobs.get(id)).toMatchObject({ state, ...more }), WAIT);

/** Stores jobs without telling anybody. */
async function storeQuietly(...payloads: readonly Record<string, unknown>[]): Promise<readonly string[]> {
  const prepared = payloads.map((payload) => jobs.prepare(payload['ms'] === undefined ? work : slow, payload));
  await region.dynamo.send(new TransactWriteItemsCommand({ TransactItems: prepared.flatMap(({ items }) => items) }));
  return prepared.map(({ id }) => id);
}

/** Hints that run their jobs one after another. */
async function hintAlone(ids: readonly string[]): Promise<void> {
  const Entries = ids.map((id, n) => ({ Id: String(n), MessageBody: JSON.stringify({ v: 1, id, n: 1, alone: 1 }) }));
  await region.sqs.send(new SendMessageBatchCommand({ QueueUrl: region.queues['default']?.lanes['default'], Entries }));
}

describe('every verb of the transition table happens in a region', () => {
  it('before any tick: an executor takes over a lease that ran out', async () => {
    const [id = ''] = await storeQuietly({});
    await claim(tables, { id, n: 1 }, { owner: 'alone/dead', expiresAt: Date.now() + 300 }, Date.now());
    await systemClock.wait(400);
    await hintAlone([id]);
    await expectState(id, 'finished', { attempts: 2 });
    expect(seen('crashed', id)).toBe(true);
    walked.add('take over');
    void turnTheCrank();
  });

  it('enqueue, claim, complete', async () => {
    const { id } = await jobs.enqueue(work, {});
    await expectState(id, 'finished', { outcome: 'completed' });
    for (const verb of ['enqueue', 'claim', 'complete']) walked.add(verb);
  });

  it('schedule, fire, reschedule, cancel', async () => {
    const { id } = await jobs.enqueue(work, {}, { delay: 'PT5S' });
    expect((await jobs.get(id))?.state).toBe('waiting');
    const moved = await jobs.enqueue(work, {}, { delay: 'PT1H' });
    expect(await jobs.reschedule(moved.id, { delay: 'PT2H' })).toBe('rescheduled');
    expect(await jobs.reschedule(moved.id, { delay: 'PT1S' })).toBe('rescheduled');
    const cancelled = await jobs.enqueue(work, {}, { delay: 'PT1H' });
    expect(await jobs.cancel(cancelled.id)).toBe('cancelled');
    await expectState(cancelled.id, 'finished', { outcome: 'cancelled' });
    await expectState(moved.id, 'finished', { outcome: 'completed' });
    await expectState(id, 'finished', { outcome: 'completed' });
    expect(seen('timers-fired')).toBe(true);
    for (const verb of ['schedule', 'fire', 'reschedule', 'cancel']) walked.add(verb);
  });

  it('replace: a second enqueue with the key of a job that waits', async () => {
    const first = await jobs.enqueue(work, {}, { key: { value: 'replaced', onConflict: 'replace' }, delay: 'PT1H' });
    const second = await jobs.enqueue(work, { ms: 1 }, { key: { value: 'replaced', onConflict: 'replace' } });
    expect(second).toEqual({ id: first.id, duplicate: false, replaced: true });
    await expectState(first.id, 'finished', { outcome: 'completed' });
    walked.add('replace');
  });

  it('expire: a job that had to start at once, which its way through the queue does not allow', async () => {
    const { id } = await jobs.enqueue(work, {}, { startWithin: 0 });
    await expectState(id, 'finished', { outcome: 'expired' });
    walked.add('expire');
  });

  it('retry and snooze, soon and later', async () => {
    const soon = await Promise.all(['throw', 'snooze soon'].map((what) => jobs.enqueue(work, { do: what })));
    const later = [await jobs.enqueue(work, { do: 'throw' }, { retry: 'R2/PT6S' }), await jobs.enqueue(work, { do: 'snooze later' })];
    for (const { id } of later) await expectState(id, 'waiting');
    for (const { id } of [...soon, ...later]) await expectState(id, 'finished', { attempts: 2 });
    for (const verb of ['retry', 'snooze']) walked.add(verb);
  });

  it('give back: of two long jobs that run in turn the second would not end in time', async () => {
    const ids = await storeQuietly({ ms: 4_000 }, { ms: 10 });
    await hintAlone(ids);
    for (const id of ids) await expectState(id, 'finished', { failures: 0 });
    expect(ids.some((id) => seen('given-back', id))).toBe(true);
    walked.add('give back');
  });

  it('park, edit and release, move and release, release: a job whose limit has no room', async () => {
    const first = await jobs.enqueue(narrow, { ms: 3_000 });
    await expectState(first.id, 'running');
    const second = await jobs.enqueue(narrow, { ms: 0 });
    await expectState(second.id, 'parked');
    const third = await jobs.enqueue(narrow, { ms: 0 });
    await expectState(third.id, 'parked');
    const admin = createAdmin({ environment: region.environment });
    expect(await admin.move(third.id, { type: work.name })).toBe('moved');
    await expectState(third.id, 'finished', { type: work.name });
    expect(await admin.editPayload(second.id, { ms: 1 })).toBe('edited');
    await expectState(second.id, 'finished', { attempts: 1 });
    expect(seen('released')).toBe(true);
    for (const verb of ['park', 'edit and release', 'move and release', 'release']) walked.add(verb);
  });

  it('book: a job that may not start yet under its rate', async () => {
    const both = await Promise.all([jobs.enqueue(rated, {}), jobs.enqueue(rated, {})]);
    for (const { id } of both) await expectState(id, 'finished', { attempts: 1 });
    expect(both.some(({ id }) => seen('given-back', id))).toBe(true);
    walked.add('book');
  });

  it('renew: a job that runs outside Lambda for longer than its worker waits between two heartbeats', async () => {
    const environment = region.workerEnvironment('machine');
    const stop = new AbortController();
    const handlers = [outside.handle(() => systemClock.wait(7_000))];
    const ended = runWorker(handlers, { environment, signal: stop.signal, journal, log: () => log });
    const { id } = await jobs.enqueue(outside, {});
    await expectState(id, 'running');
    const leased = async (): Promise<string> => String((await tables.get('jobs', idKey(id)))?.['lockExpiresAt']);
    const first = await leased();
    await vi.waitFor(async () => expect((await leased()) > first).toBe(true), WAIT);
    await expectState(id, 'finished', { attempts: 1 });
    stop.abort();
    await ended;
    walked.add('renew');
  });

  it('bury, edit, redrive, move, bury by hand, delete, remove', async () => {
    const admin = createAdmin({ environment: region.environment });
    const { id } = await jobs.enqueue(work, { do: 'fail' });
    await expectState(id, 'dead', { reason: 'failed' });
    expect(await admin.editPayload(id, {})).toBe('edited');
    expect(await admin.redrive(id)).toBe('redriven');
    await expectState(id, 'finished', { outcome: 'completed' });
    const hopeless = await jobs.enqueue(work, {}, { delay: 'PT1H' });
    expect(await admin.move(hopeless.id, { worker: 'machine' })).toBe('moved');
    expect(await admin.bury(hopeless.id, { reason: 'walk' })).toBe('buried');
    await expectState(hopeless.id, 'dead', { reason: 'buried' });
    expect(await admin.delete(hopeless.id)).toBe('deleted');
    const { id: old } = await jobs.enqueue(work, { do: 'fail' });
    await expectState(old, 'dead');
    await tables.write({ op: 'update', table: 'deadLetters', key: idKey(old), set: { failedAt: '2026-01-01T00:00:00.000Z' } });
    await admin.setRetention('all', 30, { reason: 'walk' });
    await vi.waitFor(async () => expect(await jobs.get(old)).toBeUndefined(), WAIT);
    for (const verb of ['bury', 'edit', 'redrive', 'move', 'bury by hand', 'delete', 'remove']) walked.add(verb);
  });

  it('reset: a job whose message was never sent', async () => {
    const [id = ''] = await storeQuietly({});
    await expectState(id, 'finished');
    expect(seen('reset', id)).toBe(true);
    walked.add('reset');
  });

  it('continue, report progress: a job that makes room for itself', async () => {
    const { id } = await jobs.enqueue(work, { do: 'continue' });
    await expectState(id, 'finished', { outcome: 'completed', attempts: 1, progress: { percent: 50, text: 'half' } });
    expect(seen('continued', id)).toBe(true);
    for (const verb of ['continue', 'report progress']) walked.add(verb);
  });

  it('call back: a batch whose child has ended', async () => {
    const { id } = await jobs.enqueueBatch(work, [{}], { onCompleted: followUp(work, { do: 'called back' }) });
    await vi.waitFor(
      async () => expect(await jobs.batch(id)).toMatchObject({ state: 'finished', fired: ['completed', 'succeeded'] }),
      WAIT,
    );
    await vi.waitFor(() => expect(calledBack).toEqual([id]), WAIT);
    walked.add('call back');
  });

  it('quarantine: a row that cannot be read', async () => {
    const [id = ''] = await storeQuietly({});
    await tables.write({ op: 'update', table: 'jobs', key: idKey(id), set: { rev: 'seven' } });
    await expectState(id, 'dead', { reason: 'unreadable' });
    walked.add('quarantine');
  });

  it('suspend, resume: a type that no worker knows', async () => {
    const { id } = await jobs.enqueue(stranger, {});
    await expectState(id, 'suspended');
    await vi.waitFor(() => expect(seen('resumed')).toBe(true), WAIT);
    for (const verb of ['suspend', 'resume']) walked.add(verb);
  });

  it('suspend, run now, set priority, set retries, reroute: what operators do', async () => {
    const admin = createAdmin({ environment: region.environment });
    const { id } = await jobs.enqueue(work, {}, { delay: 'PT1H' });
    expect(await admin.setPriority(id, 5)).toBe('set');
    expect(await admin.setRetries(id, 5)).toBe('set');
    expect(await admin.breakpoint(id, { reason: 'walk' })).toBe('stopped');
    await expectState(id, 'suspended', { priority: 5 });
    expect(await admin.runNow(id)).toBe('started');
    await expectState(id, 'finished', { attempts: 1 });
    await admin.overridePriority({ tenant: 'hurried' }, 200);
    await systemClock.wait(5_100);
    const hurried = await jobs.enqueue(work, {}, { tenant: 'hurried' });
    await expectState(hurried.id, 'finished', { attempts: 1, priority: 200 });
    expect(seen('rerouted', hurried.id)).toBe(true);
    for (const verb of ['run now', 'set priority', 'set retries', 'reroute']) walked.add(verb);
    // Operators wait until the put of a fresh job cannot be repeated any more.
  });

  it('plan, withdraw, skip: a schedule whose runs do not overlap', async () => {
    const { schedules } = createAdmin({ environment: region.environment });
    const hourly = defineSchedule('hourly', { job: work, payload: {}, every: 'PT1H' });
    const { next } = await schedules.put(hourly);
    await expectState(next?.id ?? '', 'waiting');
    expect(await schedules.delete('hourly')).toBe(true);
    expect(await jobs.get(next?.id ?? '')).toBeUndefined();
    await schedules.put(defineSchedule('often', { job: slow, payload: { ms: 3_000 }, every: 'PT1S', overlap: 'skip' }));
    await vi.waitFor(async () => expect((await schedules.get('often'))?.skipped).toBeGreaterThan(0), WAIT);
    await vi.waitFor(() => expect(seen('skipped')).toBe(true), WAIT);
    expect(await schedules.delete('often')).toBe(true);
    for (const verb of ['plan', 'withdraw', 'skip']) walked.add(verb);
  });

  it('request cancel, end as cancelled: a job that runs', async () => {
    const { id } = await jobs.enqueue(work, { do: 'wait' });
    await expectState(id, 'running');
    expect(await jobs.cancel(id)).toBe('cancel-requested');
    await expectState(id, 'finished', { outcome: 'cancelled' });
    for (const verb of ['request cancel', 'end as cancelled']) walked.add(verb);
  });

  it('and no verb that is built was left out', () => {
    const built = TRANSITIONS.map(({ verb }) => verb);
    expect([...walked].toSorted()).toEqual([...new Set(built)].toSorted());
  });
});
