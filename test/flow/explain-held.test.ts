import { describe, expect, it } from 'vitest';
import { defineJob } from '../../shared/job/job-type.ts';
import { defineLimit } from '../../shared/job/limit.ts';
import { defineSchedule } from '../../shared/features/schedules/model/definition.ts';
import { heldCauseKey } from '../../shared/store/control-rows.ts';
import { writeHeartbeat } from '../../shared/store/heartbeat.ts';
import { slotKey } from '../../shared/features/limits/store/slot-rows.ts';
import { scheduleKey } from '../../shared/features/schedules/store/schedule-rows.ts';
import { createWorkerReporter } from '../../functions/executor/report-worker.ts';
import { explainStage, work } from '../support/explain-stage.ts';
import { anyPayload } from '../support/rig.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const unknown = defineJob('unknown', { payload: anyPayload });

describe('explain, of a suspended job', () => {
  it('says who suspended it, until when, and what resumes it', async () => {
    const { rig, admin } = await explainStage();
    await admin.suspend({ type: 'work' }, { reason: 'the bank is down', actor: 'anna' });
    const { id } = await rig.client.enqueue(work, {});
    await rig.drain();
    const told = await admin.explain(id);
    expect(told).toMatchObject({ state: 'suspended', code: 'held-by-suspension', next: { verb: 'resume', by: 'operator' } });
    expect(told?.text).toMatch(/^The type work is suspended since .* by anna \(the bank is down\), until an operator ends it\./u);
    const until = rig.clock.now() + HOUR;
    await admin.suspend({ type: 'work' }, { reason: 'the bank is down', until: new Date(until) });
    const next = { verb: 'resume', by: 'sweeper', at: new Date(until + 2 * MINUTE) };
    expect(await admin.explain(id)).toMatchObject({ code: 'held-by-suspension', next });
    await rig.clock.advance(4 * MINUTE);
    const late = await admin.explain(id);
    expect(late).toMatchObject({ code: 'held-by-suspension', next: { verb: 'resume', by: 'sweeper' } });
    expect(late?.next.at).toBeUndefined();
    expect(late?.text).toContain('Look at the alarm sweeper-heartbeat');
  });

  it('says what resumes it when its suspension is over, and that happens', async () => {
    const { rig, admin, pass } = await explainStage();
    await admin.suspend({ type: 'work' }, { reason: 'r', until: { for: 'PT1H' } });
    const { id } = await rig.client.enqueue(work, {}, { tenant: 'acme' });
    await rig.drain();
    await pass(HOUR);
    await admin.suspend({ tenant: 'acme' }, { reason: 'audit' });
    const told = await admin.explain(id);
    expect(told).toMatchObject({ code: 'suspension-ended', next: { by: 'sweeper', at: new Date(rig.clock.now() + 2 * MINUTE) } });
    expect(told?.text).toContain('Then it meets another suspension. The tenant acme is suspended');
    expect((await rig.sweep()).resumed).toBe(1);
    expect(await admin.explain(id)).toMatchObject({ state: 'ready', code: 'held-by-suspension' });
  });

  it('tells the rate at which its jobs are resumed, and that none is while the sweeper stands still', async () => {
    const { rig, admin } = await explainStage();
    await admin.suspend('all', { reason: 'r' });
    const { id } = await rig.client.enqueue(work, {});
    await rig.drain();
    await admin.resume('all', { ratePerSecond: 5 });
    const told = await admin.explain(id);
    expect(told).toMatchObject({ code: 'suspension-ended', facts: { ratePerSecond: 5 } });
    expect(told?.text).toContain('at 5 a second');
    expect(told?.next.at).toBeUndefined();
    await rig.clock.advance(HOUR);
    expect(await admin.explain(id)).toMatchObject({ code: 'sweeper-late', next: { by: 'sweeper' } });
    await rig.tables.write({ op: 'delete', table: 'control', key: heldCauseKey('all') });
    expect(await admin.explain(id)).toMatchObject({ code: 'suspension-ended', next: { by: 'operator' } });
  });

  it('tells a breakpoint with what the operator said', async () => {
    const { rig, admin } = await explainStage();
    const { id } = await rig.client.enqueue(work, {});
    await admin.breakpoint(id, { reason: 'is that his account?' });
    const told = await admin.explain(id);
    expect(told).toMatchObject({ code: 'breakpoint', next: { by: 'operator' }, facts: { reason: 'is that his account?' } });
    expect(told?.verbs).toEqual(['resumeJob', 'runNow', 'cancel']);
  });

  it('says which versions have no handler, and when it is tried again', async () => {
    const { rig, admin, pass } = await explainStage(undefined, { version: '1' });
    const { id } = await rig.client.enqueue(unknown, {});
    await rig.drain();
    const told = await admin.explain(id);
    expect(told).toMatchObject({
      code: 'no-handler',
      next: { verb: 'resume', by: 'sweeper', at: new Date(rig.clock.now() + 3 * MINUTE) },
    });
    expect(told?.text).toContain('None is in version 1.');
    await pass(SECOND);
    const younger = createWorkerReporter({ kind: 'lambda', types: ['unknown'], version: '2' });
    await younger.report({ ...rig.deps, deployment: { ...rig.deployment, version: '2' } });
    const known = await admin.explain(id);
    expect(known).toMatchObject({ code: 'no-handler', next: { at: new Date(rig.clock.now() + 2 * MINUTE) } });
    expect(known?.text).toContain('A handler is in version 2. None is in version 1. One that has it reported since');
    expect((await rig.sweep()).resumed).toBe(1);
    await rig.drain();
    await rig.clock.advance(HOUR);
    expect(await admin.explain(id)).toMatchObject({ code: 'sweeper-late' });
  });
});

it('explain says that a job without a handler is tried again from now on, when its time has passed', async () => {
  const { rig, admin, pass } = await explainStage();
  const { id } = await rig.client.enqueue(unknown, {});
  await rig.drain();
  await pass(2 * MINUTE);
  expect(await admin.explain(id)).toMatchObject({ code: 'no-handler', next: { at: new Date(rig.clock.now() + 2 * MINUTE) } });
});

describe('explain, of a job under a limit', () => {
  const one = defineLimit('one', { concurrency: 1 });
  const limited = defineJob('limited', { payload: anyPayload, limits: [one] });

  it('names the limit, who was parked before, and who hands over a slot', async () => {
    const letGo: (() => void)[] = [];
    const handlers = [limited.handle(async () => new Promise<void>((resolve) => letGo.push(resolve)))];
    const { rig, admin, beats } = await explainStage(undefined, { handlers });
    const ids: string[] = [];
    const running: Promise<unknown>[] = [];
    for (let n = 0; n < 3; n++) {
      ids.push((await rig.client.enqueue(limited, {})).id);
      running.push(rig.deliver());
      await rig.settle();
      await rig.clock.advance(1);
    }
    const [, first = '', second = ''] = ids;
    const facts = { limit: 'one', held: 1, slots: 1 };
    expect(await admin.explain(first)).toMatchObject({ state: 'parked', code: 'parked-by-limit', facts: { ...facts, before: 0 } });
    const told = await admin.explain(second);
    expect(told).toMatchObject({
      code: 'parked-by-limit',
      next: { verb: 'release', by: 'holder-of-a-slot' },
      facts: { ...facts, before: 1 },
    });
    expect(told?.text).toContain('1 of 1 slots are held. 1 job was parked before it.');
    const [slot] = (await rig.rows('control')).filter(({ sk }) => String(sk).startsWith('slot#'));
    await rig.tables.write({ op: 'delete', table: 'control', key: slotKey(String(slot?.['pk']).slice('limit#'.length), 0) });
    await beats();
    const free = await admin.explain(first);
    expect(free).toMatchObject({
      code: 'parked-by-limit',
      next: { verb: 'release', by: 'acquirer', at: new Date(rig.clock.now() + 2 * MINUTE) },
    });
    await writeHeartbeat(rig.tables, 'acquirer/0', rig.clock.now() - HOUR, {});
    expect(await admin.explain(first)).toMatchObject({ code: 'acquirer-late', next: { verb: 'release', by: 'acquirer' } });
    await rig.fire();
    expect(await admin.explain(first)).toMatchObject({ state: 'ready' });
    await rig.clock.advance(20 * SECOND);
    letGo.forEach((end) => end());
    await Promise.all(running);
  });

  it('tells a start that a rate limit booked', async () => {
    const rated = defineJob('rated', { payload: anyPayload, limits: [defineLimit('per-hour', { rate: 1, per: 'PT1H' })] });
    const short = defineJob('short', { payload: anyPayload, limits: [defineLimit('per-minute', { rate: 1, per: 'PT1M' })] });
    const { rig, admin } = await explainStage(undefined, { handlers: [rated.handle(() => undefined), short.handle(() => undefined)] });
    const enqueue = async (type: typeof rated): Promise<string> => (await rig.client.enqueue(type, {})).id;
    await enqueue(rated);
    await enqueue(short);
    await rig.drain();
    const [late, soon] = [await enqueue(rated), await enqueue(short)];
    await rig.drain();
    expect(await admin.explain(late)).toMatchObject({ state: 'waiting', code: 'rate-limited', facts: { limit: 'per-hour' } });
    expect(await admin.explain(soon)).toMatchObject({ state: 'ready', code: 'rate-limited', facts: { limit: 'per-minute' } });
  });
});

describe('explain, of an occurrence of a schedule', () => {
  const nightly = (more: object = {}) => defineSchedule('nightly', { job: work, payload: {}, every: 'PT1H', ...more });

  it('names its schedule while it waits and when it was fired ahead', async () => {
    const { rig, admin, pass } = await explainStage();
    const { next } = await admin.schedules.put(nightly());
    const id = next?.id ?? '';
    const told = await admin.explain(id);
    expect(told).toMatchObject({ state: 'waiting', code: 'next-of-schedule', next: { by: 'acquirer' }, facts: { schedule: 'nightly' } });
    expect(told?.verbs).toEqual(['schedules.runNow', 'schedules.pause']);
    await pass((next?.dueAt.getTime() ?? 0) - 2 * MINUTE - rig.clock.now());
    await rig.fire();
    expect(await admin.explain(id)).toMatchObject({ state: 'ready', code: 'next-of-schedule', next: { verb: 'claim', at: next?.dueAt } });
  });

  it('says that it will not start where its schedule is gone', async () => {
    const { rig, admin, pass } = await explainStage();
    const { next } = await admin.schedules.put(nightly());
    const id = next?.id ?? '';
    await pass((next?.dueAt.getTime() ?? 0) - 2 * MINUTE - rig.clock.now());
    await rig.fire();
    await rig.tables.write({ op: 'delete', table: 'control', key: scheduleKey('nightly') });
    expect(await admin.explain(id)).toMatchObject({ state: 'ready', code: 'stopped-by-schedule', next: { verb: 'skip', by: 'executor' } });
    await rig.clock.advance(3 * MINUTE);
    await rig.drain();
    const told = await admin.explain(id);
    expect(told).toMatchObject({ state: 'finished', facts: { outcome: 'skipped' } });
    expect(told?.text).toContain('its schedule nightly kept it from starting');
  });
});
