import { describe, expect, test } from 'vitest';
import { jobIdFrom } from '../../shared/job/job-id.ts';
import { serve } from '../../functions/api/serve.ts';
import { aimAt, faultyTables } from '../support/faulty-tables.ts';
import { apiOver, call, caller, httpEvent, locked, type ReadAnswer } from '../support/http-api.ts';
import { Rig } from '../support/rig.ts';

const MINUTE = 60_000;

describe('enqueue', () => {
  test('stores a job with its options and answers its id', async () => {
    const { rig, post } = caller();
    const { status, headers, body } = await post('/jobs', {
      type: 'convert',
      payload: { file: 'a' },
      schemaVersion: 3,
      tenant: 't',
      priority: 7,
      correlationId: 'c',
      retry: 'R5/PT1M',
      group: 'g',
      exclusive: false,
      delay: 'PT1M',
    });
    expect(status).toBe(201);
    expect(headers).toEqual({ 'content-type': 'application/json', 'cache-control': 'no-store' });
    expect(body).toEqual({ id: expect.any(String), duplicate: false });
    const [row] = await rig.rows('jobs');
    expect(row).toMatchObject({ id: body.id, type: 'convert', payload: '{"file":"a"}', schemaVersion: 3, tenant: 't', priority: 7 });
    expect(row).toMatchObject({ correlationId: 'c', group: 'g', exclusive: false, worker: 'default' });
    expect(await rig.client.get(body.id)).toMatchObject({ dueAt: new Date(rig.clock.now() + MINUTE) });
  });

  test('creates one job for a key, and says that the second is a duplicate', async () => {
    const { rig, post } = caller();
    const first = await post('/jobs', { type: 'convert', payload: 1, key: 'k' });
    const second = await post('/jobs', { type: 'convert', payload: 2, key: 'k' });
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(second.body).toEqual({ id: first.body.id, duplicate: true });
    const third = await post('/jobs', { type: 'convert', payload: 3, key: { value: 'k', onConflict: 'replace' } });
    expect(third).toMatchObject({ status: 201, body: { id: first.body.id, duplicate: false, replaced: true } });
    expect((await rig.rows('jobs')).map(({ payload }) => payload)).toEqual(['3']);
  });

  test('refuses an own id that belongs to another job', async () => {
    const { rig, post } = caller();
    const id = jobIdFrom(rig.clock.now(), 'mine');
    expect(await post('/jobs', { type: 'convert', payload: 1, id })).toMatchObject({ status: 201 });
    expect(await post('/jobs', { type: 'convert', payload: 1, id })).toMatchObject({ status: 200, body: { id, duplicate: true } });
    expect(await post('/jobs', { type: 'convert', payload: 2, id })).toMatchObject({
      status: 409,
      body: { type: 'urn:nightcrew:problem:id-in-use' },
    });
  });

  test('takes several jobs at once; one that is refused does not stop the others', async () => {
    const { rig, post } = caller();
    const keys = ['a', 'b', 'a'];
    const { status, body } = await post('/jobs', { type: 'convert', payloads: [1, { __proto__x: 1 }, 3], keys, tenant: 't' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ enqueued: 2, duplicates: 1, failed: [] });
    expect(body.ids[2]).toBe(body.ids[0]);
    const ids = [jobIdFrom(rig.clock.now(), 'one'), 'no id'];
    const again = await post('/jobs', { type: 'convert', payloads: [1, 2], ids });
    expect(again.body).toMatchObject({ enqueued: 1, duplicates: 0, ids: [ids[0], null] });
    expect(again.body.failed).toEqual([{ index: 1, detail: expect.stringMatching(/^id: "no id"/), retryable: false }]);
    expect((await rig.rows('jobs')).filter(({ tenant }) => tenant === 't')).toHaveLength(2);
  });

  test('says which of several jobs the store did not take, and that they can be sent again', async () => {
    const rig = new Rig();
    const faults = faultyTables(rig.tables);
    faults.next(aimAt('put', 'jobs'), 'unavailable', 20);
    const several = httpEvent('POST', '/jobs', { type: 'convert', payloads: [1], keys: ['k'] });
    const { status, body } = await call(rig, apiOver(rig, faults.tables), several);
    expect({ status, body }).toMatchObject({ status: 200, body: { enqueued: 0, ids: [null], failed: [{ index: 0, retryable: true }] } });
  });
});

describe('fetch and lock', () => {
  test('hands out a job with a lock, for as long as was asked', async () => {
    const { rig, post } = caller();
    await post('/jobs', { type: 'convert', payload: { file: 'a' }, tenant: 't', schemaVersion: 2 });
    const { status, body } = await post('/fetch-and-lock', { worker: 'default', lockMs: 5_000 });
    expect(status).toBe(200);
    expect(body.jobs).toEqual([
      {
        id: expect.any(String),
        lock: expect.any(String),
        type: 'convert',
        payload: { file: 'a' },
        schemaVersion: 2,
        attempt: 1,
        failures: 0,
        lockedUntil: new Date(rig.clock.now() + 5_000).toISOString(),
        priority: 0,
        tenant: 't',
      },
    ]);
    expect(await post('/fetch-and-lock', { worker: 'default' })).toMatchObject({ status: 200, body: { jobs: [] } });
  });

  test('hands out one job for a minute unless it is told otherwise, and at most as many as asked', async () => {
    const { rig, post } = caller();
    await post('/jobs', { type: 'convert', payloads: [1, 2, 3, 4, 5] });
    const [first] = (await post('/fetch-and-lock', { worker: 'default' })).body.jobs;
    expect(first.lockedUntil).toBe(new Date(rig.clock.now() + MINUTE).toISOString());
    expect((await post('/fetch-and-lock', { worker: 'default', max: 3 })).body.jobs).toHaveLength(3);
    expect((await post('/fetch-and-lock', { worker: 'default', max: 10 })).body.jobs).toHaveLength(1);
  });

  test('waits for a job as long as was asked, and no longer', async () => {
    const rig = new Rig();
    const api = apiOver(rig);
    const since = rig.clock.now();
    const waiting = serve(api, httpEvent('POST', '/fetch-and-lock', { worker: 'default', waitMs: 20_000 }));
    await rig.clock.advance(3_000);
    await call(rig, api, httpEvent('POST', '/jobs', { type: 'convert', payload: 1 }));
    expect(JSON.parse((await rig.until(waiting)).body).jobs).toHaveLength(1);
    expect(rig.clock.now() - since).toBeLessThan(20_000);
    const later = rig.clock.now();
    expect((await call(rig, api, httpEvent('POST', '/fetch-and-lock', { worker: 'default', waitMs: 8_000 }))).body).toEqual({ jobs: [] });
    expect(rig.clock.now() - later).toBeGreaterThanOrEqual(8_000);
    expect(rig.clock.now() - later).toBeLessThan(10_000);
  });

  test('fetches from the lanes that it is told', async () => {
    const { post } = caller();
    await post('/jobs', { type: 'convert', payload: 1 });
    expect((await post('/fetch-and-lock', { worker: 'default', lanes: ['fifo'] })).body.jobs).toEqual([]);
    expect(await post('/fetch-and-lock', { worker: 'default', lanes: ['slow'] })).toMatchObject({ status: 400, body: { field: 'lanes' } });
    expect((await post('/fetch-and-lock', { worker: 'default', lanes: ['default'] })).body.jobs).toHaveLength(1);
  });

  test('hands out jobs only of workers outside Lambda, by their present name or a former one', async () => {
    const queues = { lanes: { default: 'queue/x' } };
    const rig = new Rig({ workers: { default: queues, scanner: { lanes: { default: 'queue/scanner' }, formerly: ['reader'] } } });
    const api = { ...apiOver(rig), workers: ['scanner'] };
    const post = async (path: string, body: unknown): Promise<ReadAnswer> => call(rig, api, httpEvent('POST', path, body));
    for (const worker of ['default', 'nobody']) {
      const { status, body } = await post('/fetch-and-lock', { worker });
      expect([status, body.field, body.fix]).toEqual([400, 'worker', 'Name a worker outside Lambda. Those of this deployment: scanner.']);
    }
    await post('/jobs', { type: 'convert', payload: 1, worker: 'scanner' });
    expect((await post('/fetch-and-lock', { worker: 'reader' })).body.jobs).toHaveLength(1);
    const none = await call(rig, { ...api, workers: [] }, httpEvent('POST', '/fetch-and-lock', { worker: 'scanner' }));
    expect(none.body.fix).toBe('Name a worker outside Lambda. This deployment has none.');
  });

  test('reports the worker as one that is at work', async () => {
    const rig = new Rig();
    const reported: string[] = [];
    const report = async ({ deployment }: { readonly deployment: { readonly worker?: string } }): Promise<void> =>
      void reported.push(String(deployment.worker));
    const api = {
      ...apiOver(rig),
      reporterOf: (worker: string) => ({ report: async (ports: never) => report(ports).then(() => void reported.push(worker)) }),
    };
    await call(rig, api, httpEvent('POST', '/fetch-and-lock', { worker: 'default' }));
    expect(reported).toEqual(['default', 'default']);
  });
});

describe('an answer to a locked job', () => {
  test('extends its lock', async () => {
    const { rig, post, job } = await locked();
    await rig.clock.advance(50_000);
    const answer = await post(`/jobs/${job.id}/extend`, { lock: job.lock, lockMs: 120_000 });
    expect(answer).toMatchObject({
      status: 200,
      body: { lockedUntil: new Date(rig.clock.now() + 120_000).toISOString(), cancelRequested: false },
    });
    await rig.clock.advance(100_000);
    const usual = await post(`/jobs/${job.id}/extend`, { lock: job.lock });
    expect(usual.body.lockedUntil).toBe(new Date(rig.clock.now() + MINUTE).toISOString());
  });

  test('learns of a cancel, which any answer then ends', async () => {
    const { rig, post, job } = await locked();
    await rig.client.cancel(job.id);
    expect((await post(`/jobs/${job.id}/extend`, { lock: job.lock })).body).toMatchObject({ cancelRequested: true });
    expect(await post(`/jobs/${job.id}/complete`, { lock: job.lock })).toMatchObject({ status: 200, body: { result: 'cancelled' } });
  });

  test('completes it with a result, and with the jobs that follow', async () => {
    const { rig, get, post, job } = await locked({ tenant: 't' });
    const enqueue = [
      { type: 'publish', payload: { page: 1 }, schemaVersion: 2, delay: 'PT1M', key: 'k' },
      { type: 'tidy', payload: null, priority: 3 },
    ];
    const answer = await post(`/jobs/${job.id}/complete`, { lock: job.lock, result: { pages: 3 }, keepResult: 'PT1H', enqueue });
    expect(answer).toMatchObject({ status: 200, body: { result: 'completed' } });
    expect(await rig.client.waitForResult(job.id)).toMatchObject({ outcome: 'result', result: { pages: 3 } });
    expect((await get(`/jobs/${job.id}`)).body).toMatchObject({ state: 'finished', outcome: 'completed' });
    const rows = (await rig.rows('jobs')).toSorted((a, b) => String(a['type']).localeCompare(String(b['type'])));
    expect(rows).toMatchObject([
      { type: 'publish', payload: '{"page":1}', schemaVersion: 2, tenant: 't', key: 'k' },
      { type: 'tidy', payload: 'null', tenant: 't', priority: 3 },
    ]);
  });

  test('completes it and cancels the jobs that hold the keys it names, of its tenant or another; one that runs is asked to stop', async () => {
    const { rig, get, post, job } = await locked({ tenant: 't' });
    const timer = async (key: string, more: object): Promise<string> =>
      (await post('/jobs', { type: 'remind', payload: 1, delay: 'PT1H', key, ...more })).body.id;
    const own = await timer('k', { tenant: 't' });
    const other = await timer('k', { tenant: 'u' });
    const none = await timer('k', {});
    const kept = await timer('other', { tenant: 't' });
    const busy = await timer('busy', { tenant: 't', delay: 0 });
    await post('/fetch-and-lock', { worker: 'default' });
    const cancel = [
      { type: 'remind', key: 'k', reason: 'answered' },
      { type: 'remind', key: 'k', tenant: 'u' },
      { type: 'remind', key: 'k', tenant: '' },
      { type: 'remind', key: 'busy' },
      { type: 'remind', key: 'never there' },
    ];
    const answer = await post(`/jobs/${job.id}/complete`, { lock: job.lock, result: 1, cancel });
    expect(answer).toMatchObject({ status: 200, body: { result: 'completed' } });
    expect((await get(`/jobs/${own}`)).body).toMatchObject({ state: 'finished', outcome: 'cancelled', cancelReason: 'answered' });
    for (const id of [other, none]) expect((await get(`/jobs/${id}`)).body).toMatchObject({ outcome: 'cancelled' });
    expect((await get(`/jobs/${kept}`)).body).toMatchObject({ state: 'waiting' });
    expect((await get(`/jobs/${busy}`)).body).toMatchObject({ state: 'running', cancelRequested: true });
    expect((await rig.rows('control')).filter(({ jobId }) => jobId === own)).toEqual([]);
  });

  test('cancels nothing when its lock is lost', async () => {
    const { rig, get, post, job } = await locked();
    const { id } = (await post('/jobs', { type: 'remind', payload: 1, delay: 'PT1H', key: 'k' })).body;
    await post(`/jobs/${job.id}/unlock`, { lock: job.lock });
    await rig.clock.advance(1_000);
    const late = await post(`/jobs/${job.id}/complete`, { lock: job.lock, cancel: [{ type: 'remind', key: 'k' }] });
    expect(late.status).toBe(409);
    expect((await get(`/jobs/${id}`)).body).toMatchObject({ state: 'waiting' });
  });

  test('is refused a key that one of its follow-ups takes, and stays locked', async () => {
    const { get, post, job } = await locked();
    const both = { cancel: [{ type: 'remind', key: 'k' }], enqueue: [{ type: 'remind', payload: 1, key: 'k' }] };
    const answer = await post(`/jobs/${job.id}/complete`, { lock: job.lock, ...both });
    expect(answer).toMatchObject({
      status: 400,
      body: { field: 'cancel.0.key', fix: expect.stringContaining('A follow-up has this key') },
    });
    expect((await get(`/jobs/${job.id}`)).body).toMatchObject({ state: 'running' });
    const many = Array.from({ length: 18 }, (_, index) => ({ type: 'remind', key: `k${index}` }));
    const full = await post(`/jobs/${job.id}/complete`, { lock: job.lock, cancel: many });
    expect(full).toMatchObject({ status: 200, body: { result: 'completed' } });
  });

  test('fails it by the policy of the job, or with the tries that it says are left', async () => {
    const { rig, get, post, job } = await locked({ retry: 'R3/PT1M' });
    const failure = { lock: job.lock, message: 'disk full', name: 'DiskFull', details: 'at scan.py:3' };
    expect(await post(`/jobs/${job.id}/failure`, failure)).toMatchObject({ status: 200, body: { result: 'retried' } });
    expect((await get(`/jobs/${job.id}`)).body).toMatchObject({
      failures: 1,
      error: { name: 'DiskFull', message: 'disk full', stack: 'at scan.py:3' },
    });
    await rig.clock.advance(2 * MINUTE);
    const [again] = (await post('/fetch-and-lock', { worker: 'default' })).body.jobs;
    expect(again).toMatchObject({ id: job.id, attempt: 2, failures: 1 });
    const put = { lock: again.lock, message: 'full', retries: 1, retryAfter: 'PT10M' };
    expect(await post(`/jobs/${job.id}/failure`, put)).toMatchObject({ body: { result: 'retried' } });
    expect((await get(`/jobs/${job.id}`)).body.dueAt).toBe(new Date(rig.clock.now() + 10 * MINUTE).toISOString());
    await rig.clock.advance(11 * MINUTE);
    const [last] = (await post('/fetch-and-lock', { worker: 'default' })).body.jobs;
    expect(await post(`/jobs/${job.id}/failure`, { lock: last.lock, message: 'full', retries: 0 })).toMatchObject({
      body: { result: 'dead' },
    });
  });

  test('ends it by a business error, which no retry changes and by whose code it is found', async () => {
    const { get, post, job } = await locked();
    expect(await post(`/jobs/${job.id}/error`, { lock: job.lock, code: 'CardDeclined' })).toMatchObject({
      status: 200,
      body: { result: 'dead' },
    });
    expect((await get('/jobs?errorName=CardDeclined')).body.jobs).toMatchObject([
      { id: job.id, state: 'dead', reason: 'failed', error: { name: 'CardDeclined', message: 'CardDeclined' } },
    ]);
    const other = await locked();
    await other.post(`/jobs/${other.job.id}/error`, { lock: other.job.lock, code: 'Torn', message: 'Page 3 is torn.' });
    expect((await other.get(`/jobs/${other.job.id}`)).body.error).toMatchObject({ name: 'Torn', message: 'Page 3 is torn.' });
  });

  test('gives it back unchanged, for the next to have at once', async () => {
    const { post, job } = await locked();
    expect(await post(`/jobs/${job.id}/unlock`, { lock: job.lock })).toMatchObject({ status: 200, body: { result: 'unlocked' } });
    expect((await post('/fetch-and-lock', { worker: 'default' })).body.jobs).toMatchObject([{ id: job.id, failures: 0 }]);
  });
});
