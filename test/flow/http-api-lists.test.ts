import { describe, expect, test } from 'vitest';
import { jobIdFrom } from '../../shared/job/job-id.ts';
import { locked } from '../support/http-api.ts';

const UNKNOWN = jobIdFrom(0, 'nobody');

describe('lists', () => {
  test('show jobs by a filter, a page at a time, without payloads and without the holders of locks', async () => {
    const { post, get, job } = await locked({ tenant: 't' });
    await post('/jobs', { type: 'convert', payloads: [1, 2, 3] });
    await post('/jobs', { type: 'other', payload: 1 });
    const seen: string[] = [];
    let next = '';
    do {
      const { status, body } = await get(`/jobs?type=convert&limit=2${next === '' ? '' : `&after=${encodeURIComponent(next)}`}`);
      expect(status).toBe(200);
      for (const one of body.jobs) {
        expect(one).not.toHaveProperty('payload');
        expect(one).not.toHaveProperty('lockOwner');
        seen.push(one.id);
      }
      next = body.next ?? '';
    } while (next !== '');
    expect(new Set(seen).size).toBe(4);
    const [running] = (await get('/jobs?state=running')).body.jobs;
    expect(running).toMatchObject({ id: job.id, tenant: 't', attempts: 1, lockedUntil: expect.any(String) });
    const [waiting] = (await get('/jobs?state=ready&limit=1')).body.jobs;
    expect(waiting).not.toHaveProperty('lockedUntil');
    expect((await get('/jobs')).body.jobs).toHaveLength(5);
  });

  test('count jobs by state', async () => {
    const { post, get } = await locked();
    await post('/jobs', { type: 'convert', payloads: [1, 2, 3] });
    expect((await get('/jobs/count?type=convert')).body).toMatchObject({ ready: 3, running: 1, total: 4, complete: true });
    expect((await get('/jobs/count?from=1h')).body).toMatchObject({ total: 4 });
    expect((await get('/jobs/count?to=1h')).body).toMatchObject({ total: 0 });
    expect((await get('/jobs/count?type=other')).body).toMatchObject({ total: 0 });
  });

  test('show one job with its payload; a payload that is no JSON as its text', async () => {
    const { rig, get, job } = await locked();
    const { status, body } = await get(`/jobs/${job.id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: job.id, state: 'running', payload: { file: 'a' }, schemaVersion: 1, worker: 'default' });
    expect(JSON.stringify(body)).not.toContain(job.lock.split('~')[0]);
    await rig.tables.write({ op: 'update', table: 'jobs', key: { id: job.id }, set: { payload: '{broken' } });
    expect((await get(`/jobs/${job.id}`)).body).toMatchObject({ payload: '{broken' });
    expect(await get(`/jobs/${UNKNOWN}`)).toMatchObject({ status: 404, body: { type: 'urn:nightcrew:problem:not-found' } });
  });
});
