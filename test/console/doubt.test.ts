import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { UnauditedError } from '../../shared/job/errors.ts';
import { idKey } from '../../shared/store/rows.ts';
import { scheduleKey } from '../../shared/features/schedules/store/schedule-rows.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { fixedDeployment, NOW } from './fixed-deployment.ts';
import { type EveryState, jobsInEveryState } from './jobs-in-every-state.ts';
import { type OpenConsole, openConsole } from './open-console.ts';

const work = defineJob('work', { payload: anyPayload });

let world: EveryState;
let page: OpenConsole;

beforeEach(async () => {
  world = await jobsInEveryState(9);
  page = await openConsole({ admin: world.admin, now: () => world.kit.clock.now() });
});

afterEach(async () => {
  if (page.problems.length > 0) throw new Error(page.problems.join('\n'));
  await world.release();
  await page.close();
});

describe('an edit that redrives', () => {
  it('leaves a dead letter alone that changed between the look and the write', async () => {
    const { dead } = world.ids;
    const seen = (await world.admin.find(dead))?.rev;
    const slow: OpenConsole = await openConsole({
      now: () => world.kit.clock.now(),
      admin: {
        ...world.admin,
        redrive: async (id, options) => {
          await world.admin.editPayload(id, { by: 'somebody else' });
          return world.admin.redrive(id, options);
        },
      },
    });
    expect(await slow.act('redrive-with-payload', { id: dead, rev: seen, payload: '{"by":"me"}' })).toMatchObject({
      status: 409,
      conflict: true,
      message: expect.stringContaining('changed meanwhile') as string,
    });
    expect(await world.admin.find(dead)).toMatchObject({ state: 'dead', payload: '{"by":"somebody else"}' });
    await slow.close();
  });

  it('says who and why in the audit, as a plain redrive does', async () => {
    const ids = (await world.admin.list({ state: 'dead' })).jobs.slice(0, 2).map(({ id }) => id);
    const rev = (await world.admin.find(ids[0] ?? ''))?.rev;
    await page.act('redrive-with-payload', { id: ids[0], rev, payload: '{}', reason: 'wrong address' });
    await page.act('redrive', { id: ids[1], reason: 'relay is back' });
    const entries = (await world.admin.audit()).filter(({ verb }) => verb === 'redrive');
    const of = (id: string | undefined) => entries.filter(({ jobId }) => jobId === id);
    expect(of(ids[0])).toMatchObject([{ actor: 'anna', reason: 'wrong address', detail: 'with another payload' }]);
    expect(of(ids[1])).toMatchObject([{ actor: 'anna', reason: 'relay is back' }]);
  });
});

describe('an action whose entry in the audit was not taken', () => {
  it('is told as done, so that it is not done twice', async () => {
    const runNow = vi.fn(async () => Promise.reject(new UnauditedError('schedules.runNow', 'an id', new Error('throttled'))));
    const own = await openConsole({
      admin: fixedDeployment({ schedules: { runNow } as never }),
      now: () => NOW,
    });
    expect(await own.act('schedule-run-now', { name: 'report.daily' })).toMatchObject({
      status: 200,
      ok: true,
      warn: true,
      message: expect.stringMatching(/is done.*audit entry could not be written.*Do not repeat it/) as string,
    });
    await own.close();
  });
});

/** A deployment whose rows can be damaged, and its console. */
async function damaged(): Promise<{ rig: Rig; own: OpenConsole; id: string }> {
  const rig = new Rig();
  const own = await openConsole({ admin: createAdminOver(rig.deps), now: () => rig.clock.now() });
  const { id } = await rig.client.enqueue(work, { a: 1 });
  return { rig, own, id };
}

describe('a row that cannot be read', () => {
  it('has a page that says what sets it aside, and no buttons', async () => {
    const { rig, own, id } = await damaged();
    await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(id), set: { failures: 'many' } });
    const { status, text } = await own.get(`/jobs/${id}`);
    expect(status).toBe(200);
    expect(text).toContain('reason unreadable');
    expect(text).toContain('The raw row');
    expect(text).not.toContain('data-action=');
    for (const action of ['cancel', 'run-now', 'set-priority', 'set-due-date', 'suspend-job', 'change-tenant']) {
      const answer = await own.act(action, { id, priority: 1, at: '1m', reason: 'why' });
      expect(answer, action).toMatchObject({ status: 409, ok: false });
      expect(answer.message, action).not.toMatch(/Unexpected error/);
    }
    expect(own.problems).toEqual([]);
    await own.close();
  });

  it('of a schedule is a page, and its actions say so without what it holds', async () => {
    const { rig, own } = await damaged();
    const row = { ...scheduleKey('broken'), origin: 'operator', definition: '{"payload":"s3cret' };
    await rig.tables.write({ op: 'put', table: 'control', row });
    const { status, text } = await own.get('/schedules/broken');
    expect(status).toBe(200);
    expect(text).toContain('The row of broken is not a schedule');
    const answer = await own.act('schedule-pause', { name: 'broken' });
    expect(answer).toMatchObject({ status: 409, ok: false });
    expect(answer.message).not.toContain('s3cret');
    await own.close();
  });
});

describe('a job of a batch', () => {
  it('leads to the jobs of the batch', async () => {
    const { rig, own, id } = await damaged();
    await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(id), set: { batch: 'b-1' } });
    const { text } = await own.get(`/jobs/${id}`);
    expect(text).toContain('href="/jobs?batch=b-1"');
    expect(text).not.toContain('/batches/b-1');
    await own.close();
  });
});
