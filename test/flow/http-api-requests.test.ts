import { describe, expect, test } from 'vitest';
import { MAX_BODY_BYTES } from '../../functions/api/function-url.ts';
import { StoreRefusedError } from '../../shared/job/errors.ts';
import { jobIdFrom } from '../../shared/job/job-id.ts';
import { ROUTES, serve } from '../../functions/api/serve.ts';
import type { Tables } from '../../shared/ports/tables.ts';
import { aimAt, faultyTables } from '../support/faulty-tables.ts';
import { apiOver, call, caller, httpEvent, locked } from '../support/http-api.ts';
import { Rig } from '../support/rig.ts';

const UNKNOWN = jobIdFrom(0, 'nobody');
const LOCK = 'run/x~1';

describe('a request that is wrong', () => {
  const of = (verb: string): string => `/jobs/${UNKNOWN}/${verb}`;

  test.each<[string, string, object, string]>([
    ['no type', '/jobs', { payload: 1 }, 'type'],
    ['a type that is no name', '/jobs', { type: '1', payload: 1 }, 'type'],
    ['no payload', '/jobs', { type: 'a' }, 'payload'],
    ['two kinds of payloads', '/jobs', { type: 'a', payload: 1, payloads: [1] }, 'payload'],
    ['payloads that are no list', '/jobs', { type: 'a', payloads: {} }, 'payloads'],
    ['too many payloads', '/jobs', { type: 'a', payloads: Array.from({ length: 1_001 }, () => 0) }, 'payloads'],
    ['keys for one job', '/jobs', { type: 'a', payload: 1, keys: ['k'] }, 'keys'],
    ['ids for one job', '/jobs', { type: 'a', payload: 1, ids: [UNKNOWN] }, 'ids'],
    ['one key for several jobs', '/jobs', { type: 'a', payloads: [1, 2], key: 'k' }, 'key'],
    ['one id for several jobs', '/jobs', { type: 'a', payloads: [1, 2], id: UNKNOWN }, 'id'],
    ['fewer keys than payloads', '/jobs', { type: 'a', payloads: [1, 2], keys: ['k'] }, 'keys'],
    ['more ids than payloads', '/jobs', { type: 'a', payloads: [1], ids: [UNKNOWN, UNKNOWN] }, 'ids'],
    ['an unknown field', '/jobs', { type: 'a', payload: 1, prio: 1 }, 'body'],
    ['an unknown worker', '/jobs', { type: 'a', payload: 1, worker: 'nobody' }, 'worker'],
    ['a version that is none', '/jobs', { type: 'a', payload: 1, schemaVersion: 0 }, 'schemaVersion'],
    ['a delay that is none', '/jobs', { type: 'a', payload: 1, delay: 'soon' }, 'delay'],
    ['a retry policy that is a number', '/jobs', { type: 'a', payload: 1, retry: 3 }, 'retry'],
    ['a retry policy that is a list', '/jobs', { type: 'a', payload: 1, retry: ['PT5M'] }, 'retry'],
    ['a null', '/jobs', { type: 'a', payload: 1, tenant: null }, 'tenant'],
    ['a key that is none', '/jobs', { type: 'a', payload: 1, key: 7 }, 'key'],
    ['a hostile payload', '/jobs', JSON.parse('{"type":"a","payload":{"__proto__":1}}') as object, 'payload'],
    ['no worker', '/fetch-and-lock', {}, 'worker'],
    ['too many jobs', '/fetch-and-lock', { worker: 'default', max: 11 }, 'max'],
    ['no jobs', '/fetch-and-lock', { worker: 'default', max: 0 }, 'max'],
    ['a lock that is too short', '/fetch-and-lock', { worker: 'default', lockMs: 999 }, 'lockMs'],
    ['a lock that is too long', '/fetch-and-lock', { worker: 'default', lockMs: 86_400_001 }, 'lockMs'],
    ['a wait that is too long', '/fetch-and-lock', { worker: 'default', waitMs: 20_001 }, 'waitMs'],
    ['a wait that is negative', '/fetch-and-lock', { worker: 'default', waitMs: -1 }, 'waitMs'],
    ['half a millisecond', '/fetch-and-lock', { worker: 'default', waitMs: 0.5 }, 'waitMs'],
    ['a lane that is no text', '/fetch-and-lock', { worker: 'default', lanes: [7] }, 'lanes[0]'],
    ['no lock', of('complete'), {}, 'lock'],
    ['a lock that is none', of('complete'), { lock: 'mine' }, 'lock'],
    ['the lock of a message', of('complete'), { lock: 'queue/x~1' }, 'lock'],
    ['an id that is none', '/jobs/7/complete', { lock: LOCK }, 'id'],
    ['an unknown field of an answer', of('unlock'), { lock: LOCK, force: true }, 'body'],
    ['no message', of('failure'), { lock: LOCK }, 'message'],
    ['an empty message', of('failure'), { lock: LOCK, message: '' }, 'message'],
    ['retries that are none', of('failure'), { lock: LOCK, message: 'x', retries: -1 }, 'retries'],
    ['a delay of a retry that is none', of('failure'), { lock: LOCK, message: 'x', retryAfter: 'later' }, 'retryAfter'],
    ['a time to keep the result that is none', of('complete'), { lock: LOCK, keepResult: {} }, 'keepResult'],
    ['no code', of('error'), { lock: LOCK }, 'code'],
    ['a follow-up without a payload', of('complete'), { lock: LOCK, enqueue: [{ type: 'a' }] }, 'enqueue[0].payload'],
    ['a follow-up with an unknown field', of('complete'), { lock: LOCK, enqueue: [{ type: 'a', payload: 1, run: 1 }] }, 'enqueue[0]'],
    ['too many follow-ups', of('complete'), { lock: LOCK, enqueue: Array.from({ length: 91 }, () => ({})) }, 'enqueue'],
    ['a cancel without a key', of('complete'), { lock: LOCK, cancel: [{ type: 'a' }] }, 'cancel[0].key'],
    ['a cancel without a type', of('complete'), { lock: LOCK, cancel: [{ key: 'k' }] }, 'cancel[0].type'],
    ['a cancel of an empty key', of('complete'), { lock: LOCK, cancel: [{ type: 'a', key: '' }] }, 'cancel[0].key'],
    ['a cancel by id', of('complete'), { lock: LOCK, cancel: [{ id: UNKNOWN }] }, 'cancel[0]'],
    ['a cancel of a type that is no name', of('complete'), { lock: LOCK, cancel: [{ type: '1', key: 'k' }] }, 'type'],
    ['a cancel of a tenant that is none', of('complete'), { lock: LOCK, cancel: [{ type: 'a', key: 'k', tenant: 7 }] }, 'cancel[0].tenant'],
    ['a cancel without a reason in it', of('complete'), { lock: LOCK, cancel: [{ type: 'a', key: 'k', reason: '' }] }, 'cancel[0].reason'],
    ['cancels that are no list', of('complete'), { lock: LOCK, cancel: { type: 'a', key: 'k' } }, 'cancel'],
    ['too many cancels', of('complete'), { lock: LOCK, cancel: Array.from({ length: 19 }, () => ({})) }, 'cancel'],
  ])('%s: is refused with field and fix, and nothing is written', async (_, path, body, field) => {
    const { rig, post } = caller();
    const answer = await post(path, body);
    expect(answer).toMatchObject({
      status: 400,
      body: { type: 'urn:nightcrew:problem:invalid-input', status: 400, fix: expect.any(String) },
    });
    expect(answer.body.field).toBe(field);
    expect(answer.body.detail).toContain(answer.body.fix);
    for (const count of Object.values(await rig.counts())) expect(count).toBe(0);
  });

  test('options of any other type are refused as well', async () => {
    const { rig, post } = caller();
    const names = [
      'delay',
      'runAt',
      'startWithin',
      'startBy',
      'group',
      'exclusive',
      'tenant',
      'priority',
      'correlationId',
      'retry',
      'key',
      'id',
    ];
    for (const name of names) {
      for (const value of [null, true, { x: 1 }, [{}]]) {
        if (name === 'exclusive' && value === true) continue;
        const { status } = await post('/jobs', { type: 'a', payload: 1, [name]: value });
        expect([name, value, status]).toEqual([name, value, 400]);
      }
    }
    expect(await rig.rows('jobs')).toEqual([]);
  });

  test.each([
    ['/jobs?stat=dead', 'query'],
    ['/jobs?lockOwner=x', 'query'],
    ['/jobs/count?limit=1', 'query'],
    ['/jobs?limit=0', 'limit'],
    ['/jobs?limit=201', 'limit'],
    ['/jobs?limit=many', 'limit'],
    ['/jobs?state=gone', 'state'],
    ['/jobs?hasError=1', 'hasError'],
    ['/jobs?after=x', 'after'],
    ['/jobs/7', 'id'],
  ])('%s is refused', async (path, field) => expect(await caller().get(path)).toMatchObject({ status: 400, body: { field } }));

  test('a page may be as large as its limit', async () => expect((await caller().get('/jobs?limit=200')).status).toBe(200));

  test.each([
    ['GET', '/', 404, undefined],
    ['GET', '/jobs/', 400, undefined],
    ['GET', '/jobs/a/b/c', 404, undefined],
    ['POST', `/jobs/${UNKNOWN}/finish`, 404, undefined],
    ['DELETE', '/jobs', 405, 'POST, GET'],
    ['GET', '/fetch-and-lock', 405, 'POST'],
    ['POST', `/jobs/${UNKNOWN}`, 405, 'GET'],
  ])('%s %s is answered with %i', async (method, path, status, allow) => {
    const rig = new Rig();
    const answer = await call(rig, apiOver(rig), httpEvent(method, path, {}));
    expect([answer.status, answer.headers['allow']]).toEqual([status, allow]);
    expect(answer.headers['content-type']).toBe('application/problem+json');
  });

  test('a body must be JSON, in UTF-8, without ambiguities, and not too large', async () => {
    const rig = new Rig();
    const send = async (body: string, more: object = {}): Promise<number> =>
      (await call(rig, apiOver(rig), httpEvent('POST', '/fetch-and-lock', {}, { body, ...more }))).status;
    const good = '{"worker":"default"}';
    const base64 = (bytes: string | Buffer): string => Buffer.from(bytes).toString('base64');
    expect(await send(good)).toBe(200);
    expect(await send(good, { headers: { 'content-type': 'Application/JSON; charset=utf-8' } })).toBe(200);
    expect(await send(base64(good), { isBase64Encoded: true })).toBe(200);
    for (const type of [undefined, 'text/plain', 'application/jsonl', 'application/x-www-form-urlencoded']) {
      expect(await send(good, { headers: { 'content-type': type } })).toBe(415);
    }
    for (const bad of ['', '{', '[]', 'null', '"x"', '{"worker":"default","worker":"other"}', '{"worker":"default","max":1e999}']) {
      expect([bad, await send(bad)]).toEqual([bad, 400]);
    }
    expect(await send('['.repeat(200_000))).toBe(400);
    expect(await send(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)).toBe(400);
    const notUtf8 = { body: base64(Buffer.from([0x22, 0xff, 0x22])), isBase64Encoded: true };
    const answer = await call(rig, apiOver(rig), httpEvent('POST', '/jobs', {}, notUtf8));
    expect(answer).toMatchObject({ status: 400, body: { field: 'body', fix: 'Send UTF-8.' } });
    const padding = ' '.repeat(MAX_BODY_BYTES - good.length);
    expect(await send(good + padding)).toBe(200);
    expect(await send(`${good}${padding} `)).toBe(413);
  });

  test('a payload that is too large for a job is said to be so', async () => {
    const { post } = caller();
    const answer = await post('/jobs', { type: 'a', payload: 'x'.repeat(300_000) });
    expect(answer).toMatchObject({ status: 413, body: { limit: 262_144 } });
  });
});

describe('a store', () => {
  test('that does not answer is a problem that passes, with the time to try again', async () => {
    const rig = new Rig();
    const faults = faultyTables(rig.tables);
    faults.next(aimAt('put', 'jobs'), 'unavailable', 20);
    const answer = await call(rig, apiOver(rig, faults.tables), httpEvent('POST', '/jobs', { type: 'a', payload: 1 }));
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' }, body: { type: 'urn:nightcrew:problem:unavailable' } });
  });

  test('that refuses a completion as invalid makes the job a dead letter, which the document lists', async () => {
    const { rig, job } = await locked();
    const tables: Tables = {
      ...rig.tables,
      transact: async (writes, token, terms) => {
        if (writes.some(({ table }) => table === 'deadLetters')) return rig.tables.transact(writes, token, terms);
        throw new StoreRefusedError('transaction', new Error('an item is too large'));
      },
    };
    const answer = await call(rig, apiOver(rig, tables), httpEvent('POST', `/jobs/${job.id}/complete`, { lock: job.lock, result: 1 }));
    expect(answer).toMatchObject({ status: 200, body: { result: 'dead' } });
    const route = ROUTES.find(({ operationId }) => operationId === 'complete');
    expect(route?.answers[200]?.schema).toMatchObject({ properties: { result: { enum: expect.arrayContaining(['dead']) } } });
  });

  test('that refuses a request is a failure of the function, for Lambda to count', async () => {
    const rig = new Rig();
    const refused = new StoreRefusedError('get', new Error('no access'));
    const tables = { ...rig.tables, get: async () => Promise.reject(refused) };
    await expect(serve(apiOver(rig, tables), httpEvent('GET', `/jobs/${UNKNOWN}`))).rejects.toBe(refused);
  });
});

test('a completion with follow-ups beyond the limit of its chain is refused, and the job is still locked', async () => {
  const rig = new Rig({ settings: { chainLimit: 1 } });
  const { post } = caller(rig);
  await post('/jobs', { type: 'convert', payload: 1 });
  const next = async (): Promise<{ id: string; lock: string }> => (await post('/fetch-and-lock', { worker: 'default' })).body.jobs[0];
  const enqueue = [{ type: 'convert', payload: 2 }];
  const first = await next();
  await post(`/jobs/${first.id}/complete`, { lock: first.lock, enqueue });
  const second = await next();
  expect(await post(`/jobs/${second.id}/complete`, { lock: second.lock, enqueue })).toMatchObject({
    status: 400,
    body: { type: 'urn:nightcrew:problem:invalid-input', field: 'enqueue', detail: expect.stringContaining('chainDepth: 2') },
  });
  expect(await post(`/jobs/${second.id}/complete`, { lock: second.lock })).toMatchObject({ status: 200, body: { result: 'completed' } });
});
