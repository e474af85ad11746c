import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createAdminOver } from '../../operate/admin.ts';
import { defineJob, defineSchedule } from '../../shared/index.ts';
import { createExecutor } from '../../functions/index.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const AT = new Date('2026-05-01T12:00:00Z');
const dated = defineJob('dated', { payload: z.object({ at: z.date() }) });
const coerced = defineJob('coerced', { payload: z.object({ at: z.coerce.date() }) });
const work = defineJob('work', { payload: anyPayload });

describe('a payload with a Date, for a schema that refuses the text that JSON makes of it,', () => {
  const refused = /^payload: a payload with a Date is not valid\. Stored as JSON, a Date becomes a text.*z\.coerce\.date\(\)/;

  it('is refused by every call that would store it', async () => {
    const rig = new Rig();
    await expect(rig.client.enqueue(dated, { at: AT })).rejects.toThrow(refused);
    expect(() => rig.client.prepare(dated, { at: AT })).toThrow(refused);
    const many = await rig.client.enqueueMany(dated, [{ at: AT }]);
    expect(many.failed[0]?.error.message).toMatch(refused);
    expect(() => defineSchedule('daily', { job: dated, payload: { at: AT }, cron: '@daily' })).toThrow(refused);
    expect((await rig.counts()).jobs).toBe(0);
  });

  it('is refused as an edited payload too', async () => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(coerced, { at: AT }, { delay: 'PT1H' });
    const strict = defineJob('coerced', { payload: z.object({ at: z.date() }) });
    const admin = createAdminOver({ ...rig.deps, jobTypes: new Map([['coerced', strict]]) });
    await expect(admin.editPayload(id, { at: AT })).rejects.toThrow(/^payload: /);
  });

  it('is taken where the schema takes both', async () => {
    const rig = new Rig();
    expect(await rig.client.enqueue(coerced, { at: AT })).toMatchObject({ duplicate: false });
    expect(rig.client.prepare(coerced, { at: AT }).id).toBeDefined();
  });
});

describe('what would be lost or mistaken in silence is refused', () => {
  const rig = new Rig();

  it.each([
    ['a function', { done: () => 1 }, /^payload\.done: a function is not valid\. JSON would leave it out/],
    ['a function in a list', { all: [() => 1] }, /^payload\.all\.0: a function/],
    ['a symbol', { kind: Symbol('x') }, /^payload\.kind: a symbol/],
  ])('%s in a payload', async (_name, payload, message) => expect(rig.client.enqueue(work, payload)).rejects.toThrow(message));

  it('but not the method by which an object says what it is as JSON', async () => {
    const { id } = await rig.client.enqueue(work, { money: { amount: 1, toJSON: () => '1.00' } });
    expect((await rig.rows('jobs')).find((row) => row['id'] === id)?.['payload']).toBe('{"money":"1.00"}');
  });

  it.each([Math.floor(AT.getTime() / 1000), new Date(AT.getTime() / 1000)])('a time in epoch seconds: %s', async (runAt) =>
    expect(rig.client.enqueue(work, {}, { runAt })).rejects.toThrow(/^runAt: .*It looks like epoch seconds/),
  );

  it('a time limit beyond that of Lambda, in an executor', () => {
    const long = defineJob('long', { payload: anyPayload, timeout: 'PT20M' });
    expect(() => createExecutor([long.handle(() => {})])).toThrow(/"long" has a timeout of PT20M; Lambda ends an invocation after PT15M/);
    const most = defineJob('most', { payload: anyPayload, timeout: 'PT15M' });
    expect(() => createExecutor([most.handle(() => {})])).not.toThrow();
  });
});
