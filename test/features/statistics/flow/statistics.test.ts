import { describe, expect, it, vi } from 'vitest';
import { createAdminOver } from '../../../../operate/admin.ts';
import { defined } from '../../../../shared/job/defined.ts';
import { InvalidInputError } from '../../../../shared/job/errors.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { WorkersByName } from '../../../../shared/job/worker-names.ts';
import { defineLimit } from '../../../../shared/job/limit.ts';
import { defineSchedule } from '../../../../shared/features/schedules/model/definition.ts';
import { executorOwner } from '../../../../shared/job/lock-owner.ts';
import { fail, snooze } from '../../../../shared/job/verdict.ts';
import type { Write } from '../../../../shared/ports/tables.ts';
import { iso } from '../../../../shared/job/instant.ts';
import { claim } from '../../../../shared/store/claim.ts';
import { writeHeartbeat } from '../../../../shared/store/heartbeat.ts';
import { listingKey, parkedRow } from '../../../../shared/store/parked-rows.ts';
import { idKey } from '../../../../shared/store/rows.ts';
import { countWrites } from '../../../support/faulty-tables.ts';
import { idOf } from '../../../support/job-rows.ts';
import { WAIT } from '../../../support/patience.ts';
import { anyPayload, type RigOptions } from '../../../support/rig.ts';
import { type SummingRig, summingRig } from '../../../support/summing-rig.ts';
import { sampleJob } from '../../../unit/job/sample-job.ts';
import { ON_DYNAMO } from '../../../support/rig-tables.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const work = defineJob('work', { payload: anyPayload, retry: 'R2/PT10S' });

const stage = (options: RigOptions = {}): SummingRig => {
  const all: SummingRig = summingRig({
    handlers: [
      work.handle(async ({ payload }) => {
        if (payload['do'] === 'throw') throw new Error('no');
        if (payload['do'] === 'fail') return fail('never');
        if (payload['do'] === 'snooze') return snooze('PT10M');
        await all.rig.clock.advance(Number(payload['ms'] ?? 0));
        return undefined;
      }),
    ],
    ...options,
  });
  return all;
};

const isMinute = (writes: readonly Write[]): boolean =>
  writes.some((write) => write.op === 'update' && String(write.key['pk']).startsWith('stats#'));

const sum = (minutes: readonly object[], name: string): number =>
  minutes.reduce((total, minute) => total + Number((minute as Record<string, unknown>)[name] ?? 0), 0);

describe('statistics', () => {
  it('count what became of jobs, minute by minute, and leave out the minutes in which nothing was', async () => {
    const { rig, admin, drain, end } = stage();
    const begin = Math.floor(rig.clock.now() / MINUTE) * MINUTE + MINUTE;
    await rig.clock.advance(begin - rig.clock.now());
    await rig.client.enqueue(work, { ms: 200 });
    await rig.client.enqueue(work, { do: 'throw' });
    await rig.client.enqueue(work, { do: 'snooze' });
    await rig.client.enqueue(work, { do: 'fail' });
    await drain();
    await rig.clock.advance(3 * MINUTE);
    await rig.client.enqueue(work, { ms: 400 });
    await drain();
    await end();
    const minutes = await admin.statistics();
    expect(minutes.map(({ at }) => at.getTime())).toEqual([begin, begin + 3 * MINUTE]);
    expect(minutes[0]).toMatchObject({ started: 4, completed: 1, retried: 1, snoozed: 1, dead: 1, crashed: 0, fired: 0, runMs: 200 });
    // What was retried came along, and ran out of tries.
    expect(minutes[1]).toMatchObject({ started: 2, completed: 1, dead: 1, runMs: 400 });
  });

  it('count jobs that expired, and occurrences that were skipped', async () => {
    const { rig, admin, drain, end } = stage();
    await rig.client.enqueue(work, {}, { startWithin: 'PT10S' });
    await admin.schedules.put(defineSchedule('often', { job: work, payload: {}, every: 'PT10S', maxRuns: 1, missed: 'skip' }));
    await rig.fire();
    await rig.clock.advance(5 * MINUTE);
    await drain();
    await end();
    const minutes = await admin.statistics();
    expect([sum(minutes, 'expired'), sum(minutes, 'skipped'), sum(minutes, 'completed')]).toEqual([1, 1, 0]);
  });

  it('estimate how long jobs waited', async () => {
    const { rig, admin, drain, end } = stage();
    for (let n = 0; n < 19; n++) await rig.client.enqueue(work, {});
    await drain();
    await rig.client.enqueue(work, {});
    await rig.clock.advance(8 * SECOND);
    await drain();
    await end();
    const [{ delayMs } = {}] = await admin.statistics();
    expect(delayMs?.p50).toBeLessThanOrEqual(1);
    expect(delayMs?.max).toBeGreaterThan(8 * SECOND);
    expect(delayMs?.max).toBeLessThan(12 * SECOND);
  });

  it('hold what acquirers fire, what crashes, and what operators cancel in a running attempt', async () => {
    const { rig, admin, drain, end, fire, sweep } = stage();
    await rig.client.enqueue(work, {}, { delay: 'PT1H' });
    await rig.clock.advance(HOUR);
    await fire();
    await drain();
    const { id } = await rig.client.enqueue(work, {});
    const lease = { owner: executorOwner(rig.deps.entropy.token(), true), expiresAt: rig.clock.now() + SECOND };
    await claim(rig.tables, { id, n: 1 }, lease, rig.clock.now());
    await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(id), set: { crashes: 2 } });
    await rig.clock.advance(MINUTE);
    await sweep();
    await end();
    const minutes = await admin.statistics();
    for (const name of ['fired', 'crashed', 'dead', 'completed']) expect([name, sum(minutes, name)]).toEqual([name, 1]);
  });

  it.skipIf(ON_DYNAMO)('cost a sandbox one write in ten seconds, and none while it does nothing', async () => {
    const { rig, faults, drain, fire, sweep } = stage();
    const writes = countWrites(faults, isMinute);
    for (let round = 0; round < 5; round++) {
      await fire();
      await sweep();
      await rig.clock.advance(MINUTE);
    }
    expect(writes()).toBe(0);
    await rig.clock.advance(MINUTE - (rig.clock.now() % MINUTE));
    for (let second = 0; second < 50; second++) {
      await rig.client.enqueueMany(
        work,
        Array.from({ length: 20 }, () => ({})),
      );
      await drain();
      await rig.clock.advance(SECOND);
    }
    expect(writes()).toBe(5);
  });

  it('are of one worker where that is asked, and of a stretch of time', async () => {
    const { rig, admin, drain, end } = stage();
    await rig.client.enqueue(work, {});
    await drain();
    await end();
    const now = rig.clock.now();
    expect(sum(await admin.statistics({ worker: 'default' }), 'completed')).toBe(1);
    expect(await admin.statistics({ worker: 'other' })).toEqual([]);
    expect(await admin.statistics({ from: new Date(now + MINUTE), to: new Date(now + HOUR) })).toEqual([]);
    expect(sum(await admin.statistics({ from: new Date(now - 3 * 24 * HOUR), to: new Date(now) }), 'completed')).toBe(1);
    expect(await admin.statistics({ from: new Date(now), to: new Date(now - HOUR) })).toEqual([]);
  });

  it('are those of a renamed worker also from the time before it was renamed', async () => {
    const { rig, admin, drain, end } = stage();
    await rig.client.enqueue(work, {});
    await drain();
    await end();
    const { lanes } = rig.deps.deployment.workers.get('default') ?? { lanes: {} };
    const workers = new WorkersByName([['mail', { lanes, formerly: ['default'] }]]);
    const renamed = createAdminOver({ ...rig.deps, deployment: { ...rig.deps.deployment, workers } });
    for (const worker of [undefined, 'mail', 'default']) expect(sum(await renamed.statistics(defined({ worker })), 'completed')).toBe(1);
    expect((await renamed.statisticsBy('type')).sums).toEqual((await admin.statisticsBy('type')).sums);
  });

  it('go on where the store refused them: nothing is lost as long as the process lives', async () => {
    const { rig, admin, drain, faults, end } = stage();
    faults.next(isMinute, 'unavailable');
    await rig.client.enqueue(work, {});
    await drain();
    expect(faults.pending()).toBe(0);
    expect(rig.journal.entries).toContainEqual(expect.objectContaining({ event: 'store-failed', reason: 'statistics' }));
    await rig.client.enqueue(work, {});
    await drain();
    await end();
    expect(sum(await admin.statistics(), 'completed')).toBe(2);
  });

  it('are not gathered where the setting says so', async () => {
    const { rig, admin, drain, end } = stage({ settings: { statistics: 0 } });
    await rig.client.enqueue(work, {});
    await drain();
    await end();
    expect(await admin.statistics()).toEqual([]);
    expect((await rig.counts()).control).toBe(0);
  });

  it.each([
    [{ worker: '' }, 'worker'],
    [{ from: 'yesterday' }, 'from'],
    [{ until: new Date() }, 'until'],
  ])('refuse %j and name the field', async (options, field) => {
    const error = await stage()
      .admin.statistics(options as never)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidInputError);
    expect((error as Error).message).toContain(field);
  });
});

describe('heartbeats', () => {
  it('tell who ticked when and what came of it, and who is late', async () => {
    const { rig, admin, fire, sweep } = stage();
    await fire();
    await sweep();
    const beatAt = new Date(rig.clock.now());
    await rig.clock.advance(2 * MINUTE);
    await fire();
    expect(await admin.heartbeats()).toEqual([
      expect.objectContaining({ who: 'acquirer/0', late: false, report: expect.objectContaining({ fired: 0 }) }),
      expect.objectContaining({ who: 'sweeper', late: false, at: beatAt, report: expect.objectContaining({ jobs: 0 }) }),
    ]);
    await rig.clock.advance(MINUTE + 1);
    expect((await admin.heartbeats()).map(({ who, late }) => [who, late])).toEqual([
      ['acquirer/0', false],
      ['sweeper', true],
    ]);
  });

  it('of acquirers that were taken away are not late forever, and rows of heartbeats go after a month', async () => {
    const { rig, admin, fire } = stage();
    await fire();
    for (const who of ['acquirer/1', 'acquirer/12']) await writeHeartbeat(rig.tables, who, rig.clock.now(), {});
    await rig.clock.advance(10 * MINUTE);
    expect((await admin.heartbeats()).map(({ who, late }) => [who, late])).toEqual([['acquirer/0', true]]);
    Object.assign(rig.deployment.settings, { acquirers: 2 });
    expect((await admin.heartbeats()).map(({ who }) => who)).toEqual(['acquirer/0', 'acquirer/1']);
    const [row] = (await rig.rows('control')).filter(({ sk }) => sk === 'acquirer/0');
    expect(row?.['expiresAt']).toBe(Math.ceil((rig.clock.now() - 10 * MINUTE) / SECOND) + 30 * 86_400);
  });

  it('of the sweeper say how many jobs are there and how long the oldest waits, by what its scan passes anyway', async () => {
    const { rig, admin, sweep } = stage();
    await rig.client.enqueueMany(
      work,
      Array.from({ length: 7 }, () => ({})),
    );
    await rig.clock.advance(2 * MINUTE);
    await rig.client.enqueue(work, {});
    await sweep();
    expect((await admin.heartbeats())[0]?.report).toMatchObject({ jobs: 8, overdue: 7, oldestWaitMs: 2 * MINUTE });
  });

  it('of the sweeper tell of the last whole pass while the next one takes several runs', async () => {
    const { rig, admin, sweep } = stage({ settings: { sweepSegments: 1, sweepPageSize: 2, sweepReadUnits: 10 } });
    const many = Array.from({ length: 60 }, () => ({ text: 'x'.repeat(3_000) }));
    await rig.client.enqueueMany(work, many);
    await rig.clock.advance(90 * SECOND);
    const jobs: unknown[] = [];
    for (let run = 0; run < 12; run++) {
      await sweep();
      jobs.push((await admin.heartbeats())[0]?.report['jobs']);
    }
    expect(jobs[0]).toBeUndefined();
    expect(new Set(jobs.filter((count) => count !== undefined))).toEqual(new Set([60]));
  });
});

describe('limits', () => {
  it('under which jobs are parked tell how many are held and how many wait', async () => {
    const narrow = defineJob('narrow', { payload: anyPayload, limits: [defineLimit('narrow', { concurrency: 1 })] });
    const seen = Promise.withResolvers<void>();
    const { rig, admin, drain } = summingRig({ handlers: [narrow.handle(async () => seen.promise)] });
    expect(await admin.limits()).toMatchObject({ limits: [], complete: true });
    await rig.client.enqueueMany(narrow, [{}, {}, {}]);
    const run = drain();
    // The first one holds the only place until the others were seen to wait.
    const during = await vi.waitUntil(async () => {
      const { limits } = await admin.limits();
      return (limits[0]?.parked ?? 0) >= 2 && limits;
    }, WAIT);
    seen.resolve();
    await run;
    expect(during).toEqual([expect.objectContaining({ limit: expect.stringContaining('narrow'), held: 1, parked: 2, exact: true })]);
  });

  it('are read no further than the read units that are given, and it says so', async () => {
    const { rig, admin } = stage();
    const now = rig.clock.now();
    const payload = JSON.stringify({ text: 'x'.repeat(4_000) });
    for (let limit = 0; limit < 40; limit++) {
      await rig.tables.putAll('control', [{ ...listingKey(`hash-${limit}`), limit: `tenant/${limit}`, seenAt: iso(now) }]);
      const jobs = Array.from({ length: 30 }, (_, n) => sampleJob({ id: idOf(limit * 100 + n, now), payload }));
      await rig.tables.putAll(
        'timers',
        jobs.map((one) => parkedRow(one, `hash-${limit}`, now)),
      );
    }
    const few = await admin.limits({ maxReadUnits: 50 });
    expect(few.complete).toBe(false);
    expect(few.readUnits).toBeLessThan(150);
    expect(few.limits.length).toBeGreaterThan(0);
    const all = await admin.limits({ maxReadUnits: 10_000 });
    expect([all.complete, all.limits.length]).toEqual([true, 40]);
    expect(all.limits.every(({ parked, exact }) => parked === 10 && !exact)).toBe(true);
    expect(all.readUnits).toBeLessThan(40 * 10);
    await expect(admin.limits({ maxReadUnits: 0 })).rejects.toThrow('maxReadUnits');
  });
});
