import { describe, expect, it } from 'vitest';
import { NonRetryableError } from '../../../../shared/job/errors.ts';
import type { JobHandler } from '../../../../shared/job/job-type.ts';
import { type OverlapPolicy, OVERLAP_POLICIES } from '../../../../shared/features/schedules/model/definition.ts';
import { scheduleWaitKey } from '../../../../shared/features/schedules/store/schedule-rows.ts';
import { schedule, scheduled, type ScheduledRig } from '../../../support/scheduled-rig.ts';

const MINUTE = 60_000;
const TEN_MINUTES = '*/10 * * * *';

const nominal = (minute: number | string) => `2026-03-01T00:${minute}:00`;

/** How each occurrence ended, by the minute of its time. */
async function ends(rig: ScheduledRig): Promise<Readonly<Record<string, unknown>>> {
  const rows = (await rig.rows('history')).filter((row) => row['outcome'] !== undefined && row['jobId'] === undefined);
  return Object.fromEntries(rows.map((row) => [String(row['nominalAt']).slice(14, 16), row['outcome']]));
}

/** The occurrence of a minute goes on until another one; all others end at once. */
const longAt =
  (from: number, until: number): JobHandler =>
  ({ job }) => {
    const left = until - (job.nominalAt?.getMinutes() ?? 0) - 7 * (job.attempt - 1);
    return job.nominalAt?.getMinutes() === from && left > 0 ? { verdict: 'snooze', delayMs: Math.min(left, 7) * MINUTE } : undefined;
  };

function diesOnceAt(minute: number, others: JobHandler): JobHandler {
  let died = false;
  return (context) => {
    if (died || context.job.nominalAt?.getMinutes() !== minute) return others(context);
    died = true;
    throw new NonRetryableError('dies once');
  };
}

async function ranBy(overlap: OverlapPolicy, handler: JobHandler, minutes: number, more: object = {}): Promise<ScheduledRig> {
  const rig = scheduled(handler);
  await rig.admin.schedules.put({ ...schedule({ cron: TEN_MINUTES, overlap }), ...more });
  await rig.pass(minutes * MINUTE);
  return rig;
}

/** 00:02 runs until it is asked to stop, and 00:04 is due. */
async function besideARunningOne(overlap: OverlapPolicy) {
  const stopped: unknown[] = [];
  const { promise: runs, resolve: begin } = Promise.withResolvers<void>();
  const rig = scheduled(async ({ job, signal }) => {
    if (job.nominalAt?.getMinutes() !== 2) return;
    begin();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    stopped.push(signal.reason);
  });
  await rig.admin.schedules.put(schedule({ cron: '*/2 * * * *', overlap }));
  for (let tick = 0; tick < 3; tick++) await rig.tick();
  await rig.clock.advance(2 * MINUTE);
  const running = rig.deliver();
  await runs;
  for (let second = 0; second < 120; second += 4) await rig.clock.advance(4_000);
  return { rig, running, stopped };
}

it.each(OVERLAP_POLICIES)('every policy runs each occurrence where none overlaps (%s)', async (overlap) => {
  const rig = await ranBy(overlap, () => undefined, 41);
  expect(rig.ran).toEqual([nominal(10), nominal(20), nominal(30), nominal(40)]);
  expect(await ends(rig)).toEqual({ 10: 'completed', 20: 'completed', 30: 'completed', 40: 'completed' });
});

describe('overlap: buffer-one', () => {
  it('lets one occurrence wait for the one that runs, and drops those that come meanwhile', async () => {
    const rig = await ranBy('buffer-one', longAt(10, 45), 44);
    expect(new Set(rig.ran)).toEqual(new Set([nominal(10)]));
    await rig.pass(10 * MINUTE);
    expect(await ends(rig)).toEqual({ 10: 'completed', 20: 'completed', 30: 'skipped', 40: 'skipped', 50: 'completed' });
    expect(rig.ran.filter((at) => at !== nominal(10))).toEqual([nominal(20), nominal(50)]);
  });

  it('has its place free again when the one that waited has started', async () => {
    const rig = await ranBy('buffer-one', longAt(20, 45), 48);
    expect(await ends(rig)).toEqual({ 10: 'completed', 20: 'completed', 30: 'completed', 40: 'skipped' });
  });

  it('holds through the wait of a retry', async () => {
    const failsOnce: JobHandler = ({ job }) => {
      if (job.nominalAt?.getMinutes() === 10 && job.failures === 0) throw new Error('fails once');
    };
    const rig = await ranBy('buffer-one', failsOnce, 39, { retry: 'R3/PT25M' });
    expect(rig.ran).toEqual([nominal(10), nominal(10), nominal(20)]);
    expect(await ends(rig)).toEqual({ 10: 'completed', 20: 'completed', 30: 'skipped' });
  });

  it('gives the place of one that was cancelled to the next', async () => {
    const rig = await ranBy('buffer-one', longAt(10, 38), 22);
    const waiting = String((await rig.tables.get('control', scheduleWaitKey('nightly')))?.['jobId']);
    expect(await rig.client.cancel(waiting)).toBe('cancelled');
    await rig.pass(17 * MINUTE);
    expect(await ends(rig)).toEqual({ 10: 'completed', 20: 'cancelled', 30: 'completed' });
  });

  it('lets no later occurrence pass the one that waits, though the turn is free by then', async () => {
    // 00:10 waits for its retry until 00:35 and is cancelled at 00:29; 00:20 looks again at 00:35.
    const fails: JobHandler = ({ job }) => {
      if (job.nominalAt?.getMinutes() === 10) throw new Error('fails');
    };
    const rig = await ranBy('buffer-one', fails, 29, { retry: 'R3/PT25M' });
    const first = (await rig.rows('timers')).find((row) => String(row['nominalAt']).includes('00:10'));
    expect(await rig.client.cancel(String(first?.['id']))).toBe('cancelled');
    await rig.pass(9 * MINUTE);
    expect(await ends(rig)).toEqual({ 10: 'cancelled', 20: 'completed', 30: 'skipped' });
  });

  it('lets the next one wait for one that an operator suspended', async () => {
    const rig = await ranBy('buffer-one', longAt(10, 45), 22);
    const waiting = String((await rig.tables.get('control', scheduleWaitKey('nightly')))?.['jobId']);
    await rig.admin.breakpoint(waiting, { reason: 'look at it' });
    await rig.pass(26 * MINUTE);
    expect(await rig.rows('suspended')).toHaveLength(1);
    expect(await ends(rig)).toEqual({ 10: 'completed', 30: 'completed', 40: 'skipped' });
  });

  it('drops none that an operator starts or redrives', async () => {
    const dies = diesOnceAt(10, longAt(20, 38));
    const rig = await ranBy('buffer-one', dies, 32);
    const [dead] = await rig.rows('deadLetters');
    expect(await rig.admin.redrive(String(dead?.['id']))).toBe('redriven');
    const id = (await rig.admin.schedules.runNow('nightly')) ?? '';
    await rig.pass(17 * MINUTE);
    expect(await ends(rig)).toMatchObject({ 10: 'completed', 20: 'completed', 30: 'completed' });
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', outcome: 'completed' });
  });
});

describe('overlap: cancel-other', () => {
  it('cancels the occurrence that waits for its retry, and starts at once', async () => {
    const fails: JobHandler = ({ job }) => {
      if (job.nominalAt?.getMinutes() === 10) throw new Error('fails');
    };
    const rig = await ranBy('cancel-other', fails, 21, { retry: 'R3/PT25M' });
    expect(rig.ran).toEqual([nominal(10), nominal(20)]);
    const [first] = (await rig.rows('history')).filter((row) => row['outcome'] === 'cancelled');
    expect(first).toMatchObject({ nominalAt: '2026-03-01T00:10:00.000Z', cancelReason: 'overlap', cancelledBy: 'schedule nightly' });
    expect(rig.journal.entries).toContainEqual(expect.objectContaining({ event: 'cancelled', reason: 'overlap' }));
  });

  it('cancels one that waits for its retry only when its handler cannot run any more', async () => {
    const fails: JobHandler = ({ job }) => {
      if (job.nominalAt?.getMinutes() === 2) throw new Error('fails');
    };
    const rig = scheduled(fails);
    await rig.admin.schedules.put({ ...schedule({ cron: '*/2 * * * *', overlap: 'cancel-other' }), retry: 'R3/PT25M' });
    await rig.pass(6 * MINUTE);
    expect(rig.ran).toEqual([nominal('02')]);
    expect(await ends(rig)).toEqual({});
    await rig.pass(4 * MINUTE);
    expect(await ends(rig)).toMatchObject({ '02': 'cancelled', 10: 'completed' });
  });

  it('asks the one that runs to stop, and starts when it has stopped', async () => {
    const { rig, running, stopped } = await besideARunningOne('cancel-other');
    await rig.deliver();
    expect(stopped).toEqual([]);
    await rig.until(running);
    expect(stopped).toMatchObject([{ name: 'JobCancelledError', reason: 'overlap', by: 'schedule nightly' }]);
    expect(rig.ran).toEqual([nominal('02')]);
    await rig.clock.advance(5_000);
    await rig.drain();
    expect(rig.ran).toEqual([nominal('02'), nominal('04')]);
    expect(await ends(rig)).toEqual({ '02': 'cancelled', '04': 'completed' });
  });

  it('lets the latest occurrence win over one that still waits for the first to stop', async () => {
    const { rig, running } = await besideARunningOne('cancel-other');
    await rig.deliver();
    await rig.until(running);
    await rig.tick();
    await rig.clock.advance(2 * MINUTE);
    const [queue] = rig.queues;
    const both = queue === undefined ? [] : rig.hints.receive(queue, 10);
    const third = (await rig.rows('jobs')).find((row) => String(row['nominalAt']).includes('00:06'));
    const latest = both.filter(({ body }) => body.includes(String(third?.['id'])));
    await rig.execute(latest);
    await rig.execute(both.filter((message) => !latest.includes(message)));
    expect(rig.ran).toEqual([nominal('02'), nominal('06')]);
    expect(await ends(rig)).toEqual({ '02': 'cancelled', '04': 'skipped', '06': 'completed' });
  });

  it('cancels none for one that an operator redrives: that waits', async () => {
    const dies = diesOnceAt(10, longAt(20, 27));
    const rig = await ranBy('cancel-other', dies, 22);
    const [dead] = await rig.rows('deadLetters');
    await rig.admin.redrive(String(dead?.['id']));
    await rig.pass(7 * MINUTE);
    expect(await ends(rig)).toEqual({ 10: 'completed', 20: 'completed' });
  });

  it('cancels none that an operator started: it waits', async () => {
    const rig = scheduled(({ job }) => (job.attempt < 2 ? { verdict: 'snooze', delayMs: 14 * MINUTE } : undefined));
    await rig.admin.schedules.put(schedule({ cron: TEN_MINUTES, overlap: 'cancel-other', until: '2026-03-01T00:12:00Z' }));
    const id = (await rig.admin.schedules.runNow('nightly')) ?? '';
    await rig.pass(13 * MINUTE);
    expect(rig.ran).toHaveLength(1);
    await rig.pass(18 * MINUTE);
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', outcome: 'completed' });
    expect(await ends(rig)).toMatchObject({ 10: 'completed' });
  });

  it('runs what was missed in a pause, though an operator ran one meanwhile', async () => {
    const rig = await ranBy('cancel-other', () => undefined, 11);
    await rig.admin.schedules.pause('nightly', { reason: 'audit' });
    await rig.pass(14 * MINUTE);
    const id = (await rig.admin.schedules.runNow('nightly')) ?? '';
    await rig.pass(10 * MINUTE);
    expect(await rig.client.get(id)).toMatchObject({ outcome: 'completed' });
    await rig.admin.schedules.resume('nightly');
    await rig.pass(2 * MINUTE);
    expect(rig.ran.filter((at) => at === nominal(20) || at === nominal(30))).toHaveLength(1);
    expect(Object.values(await ends(rig))).not.toContain('skipped');
  });

  it('waits for one that an operator suspended', async () => {
    const rig = await ranBy('cancel-other', longAt(10, 45), 18);
    const first = (await rig.rows('jobs')).find((row) => String(row['nominalAt']).includes('00:10'));
    await rig.admin.breakpoint(String(first?.['id']), { reason: 'look at it' });
    await rig.pass(8 * MINUTE);
    expect(await rig.rows('suspended')).toHaveLength(1);
    expect(await ends(rig)).toEqual({});
  });
});
