import { describe, expect, test } from 'vitest';
import { jobIdFrom } from '../../shared/job/job-id.ts';
import { serve } from '../../functions/api/serve.ts';
import { apiOver, httpEvent, locked } from '../support/http-api.ts';

const MINUTE = 60_000;
const UNKNOWN = jobIdFrom(0, 'nobody');

describe('an answer whose lock does not hold the job', () => {
  const ANSWERS = [
    ['extend', {}],
    ['complete', { enqueue: [{ type: 'next', payload: 1 }] }],
    ['failure', { message: 'no' }],
    ['error', { code: 'No' }],
    ['unlock', {}],
  ] as const;

  test.each(ANSWERS)('%s: is told that another answer was first', async (verb, body) => {
    const { rig, post, job } = await locked();
    await post(`/jobs/${job.id}/complete`, { lock: job.lock });
    const answer = await post(`/jobs/${job.id}/${verb}`, { lock: job.lock, ...body });
    expect(answer.status).toBe(409);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.body).toEqual({
      type: 'urn:nightcrew:problem:lock-lost',
      title: 'The lock does not hold the job.',
      status: 409,
      detail: 'The job has ended before: completed. Nothing was written.',
      state: 'finished',
      outcome: 'completed',
    });
    expect(await rig.rows('jobs')).toEqual([]);
  });

  test.each(ANSWERS)('%s: is told that the lock expired and the job was handed out again', async (verb, body) => {
    const { rig, post, job } = await locked();
    await rig.clock.advance(3 * MINUTE);
    await rig.sweep();
    const [again] = (await post('/fetch-and-lock', { worker: 'default' })).body.jobs;
    const before = await rig.rows('jobs');
    const answer = await post(`/jobs/${job.id}/${verb}`, { lock: job.lock, ...body });
    expect(answer).toMatchObject({ status: 409, body: { state: 'running' } });
    expect(answer.body.detail).toBe('The lock has ended, and the job was handed out again. Nothing was written.');
    expect(await rig.rows('jobs')).toEqual(before);
    expect(await post(`/jobs/${job.id}/complete`, { lock: again.lock })).toMatchObject({ status: 200 });
  });

  test.each(ANSWERS)('%s: is told that the job was given back', async (verb, body) => {
    const { post, job } = await locked();
    await post(`/jobs/${job.id}/unlock`, { lock: job.lock });
    const answer = await post(`/jobs/${job.id}/${verb}`, { lock: job.lock, ...body });
    expect(answer).toMatchObject({ status: 409, body: { state: 'ready' } });
    expect(answer.body.detail).toBe(
      'The lock has ended, or was answered before: the job is ready and can be handed out again. Nothing was written.',
    );
  });

  test('is told of a dead letter, and of a job that there is not', async () => {
    const { post, job } = await locked();
    await post(`/jobs/${job.id}/error`, { lock: job.lock, code: 'No' });
    expect((await post(`/jobs/${job.id}/complete`, { lock: job.lock })).body).toMatchObject({
      status: 409,
      state: 'dead',
      reason: 'failed',
    });
    const { body } = await post(`/jobs/${UNKNOWN}/complete`, { lock: job.lock });
    expect(body.detail).toBe('The job has ended and History does not keep it, or there never was one with this id. Nothing was written.');
  });

  test('is told that another job of its group has the lock of the group', async () => {
    const { rig, post, job } = await locked({ group: 'g' });
    await post('/jobs', { type: 'convert', payload: 2, group: 'g' });
    // The lock of the group expires, and its row is taken by another process; the job itself was not handed out again.
    await rig.clock.advance(5 * MINUTE);
    await post('/fetch-and-lock', { worker: 'default', max: 1 });
    const answer = await post(`/jobs/${job.id}/extend`, { lock: job.lock });
    expect(answer).toMatchObject({ status: 409, body: { state: 'running' } });
    expect(answer.body.detail).toBe('The lock of its group has ended, and another job of the group holds it. Nothing was written.');
  });

  test('extends a lock that has expired, as long as nobody has taken the job', async () => {
    const { rig, post, job } = await locked();
    await rig.clock.advance(90_000);
    expect(await post(`/jobs/${job.id}/extend`, { lock: job.lock })).toMatchObject({ status: 200 });
  });

  test('loses the race of two answers that arrive together: one ends the job, the other is told so', async () => {
    const { rig, job } = await locked();
    const api = apiOver(rig);
    const complete = (result: number) => serve(api, httpEvent('POST', `/jobs/${job.id}/complete`, { lock: job.lock, result }));
    const answers = await rig.until(Promise.all([complete(1), complete(2)]));
    expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect(rig.journal.count('completed')).toBe(1);
  });
});
