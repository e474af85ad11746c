import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { createAdminOver } from '../../../../operate/admin.ts';
import { InvalidInputError } from '../../../../shared/job/errors.ts';
import { type AnyJobType, defineJob } from '../../../../shared/job/job-type.ts';
import type { ScheduleAdmin } from '../../../../shared/features/schedules/admin/schedules.ts';
import type { ScheduleEdit } from '../../../../shared/features/schedules/model/edit.ts';
import { syncSchedules } from '../../../../functions/acquirer/sync-schedules.ts';
import type { Tables } from '../../../../shared/ports/tables.ts';
import { schedule, scheduled, type ScheduledRig } from '../../../support/scheduled-rig.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

async function nightly(more: object = {}): Promise<ScheduledRig> {
  const rig = scheduled();
  await rig.admin.schedules.put(schedule({ cron: '0 9 * * *', zone: 'Europe/Berlin', exclude: ['SAT'], maxRuns: 9, ...more }));
  return rig;
}

const definitionOf = async (rig: ScheduledRig) => (await rig.admin.schedules.get('nightly'))?.definition;

/** The verbs of an operator, with `act` before the first transaction. */
function interrupted(rig: ScheduledRig, act: () => Promise<unknown>): ScheduleAdmin {
  const { tables } = rig;
  let acted = false;
  const transact: Tables['transact'] = async (...request) => {
    if (!acted) {
      acted = true;
      await act();
    }
    return tables.transact(...request);
  };
  return createAdminOver({ ...rig.deps, tables: { ...tables, transact } }).schedules;
}

describe('an edit of a schedule', () => {
  it('changes what it names and nothing else, and tells the audit which fields', async () => {
    const rig = await nightly({ jitter: 'PT5M' });
    const before = await definitionOf(rig);
    const edit = { exclude: ['SUN'], payload: { shop: 'berlin' }, overlap: 'skip', missed: 'all', maxRuns: 3 } as const;
    expect(await rig.admin.schedules.edit('nightly', edit, { actor: 'ann', reason: 'new shop' })).toBe('edited');
    expect(await definitionOf(rig)).toEqual({
      ...before,
      recurrence: { cron: '0 9 * * *', zone: 'Europe/Berlin', exclude: ['SUN'] },
      payload: '{"shop":"berlin"}',
      overlap: 'skip',
      missed: 'all',
      maxRuns: 3,
    });
    const [entry] = (await rig.admin.audit()).filter(({ verb }) => verb === 'schedules.edit');
    const detail = 'exclude, payload, missed, overlap, maxRuns';
    expect(entry).toMatchObject({ scope: 'schedule#nightly', actor: 'ann', reason: 'new shop', detail });
  });

  it('takes away what is null, and gives one of cron and every for the other', async () => {
    const rig = await nightly({ jitter: 'PT5M', until: '2026-12-31T00:00:00Z' });
    await rig.admin.schedules.edit('nightly', { exclude: null, until: null, maxRuns: null, zone: null, jitter: null });
    const plain = await definitionOf(rig);
    expect(plain).toMatchObject({ recurrence: { cron: '0 9 * * *' }, jitterMs: 0 });
    expect(Object.keys(plain?.recurrence ?? {})).toEqual(['cron']);
    expect(plain).not.toHaveProperty('maxRuns');
    await rig.admin.schedules.edit('nightly', { every: 'PT2H', from: '2026-03-01T02:00:00Z', jitter: 'PT1M' });
    expect((await definitionOf(rig))?.recurrence).toEqual({ every: 'PT2H', from: '2026-03-01T02:00:00.000Z' });
    expect((await definitionOf(rig))?.jitterMs).toBe(MINUTE);
    await rig.admin.schedules.edit('nightly', { cron: '@hourly', from: null });
    expect((await definitionOf(rig))?.recurrence).toEqual({ cron: '@hourly' });
    await rig.pass(2 * HOUR, 10 * MINUTE);
    expect(rig.ran.length).toBeGreaterThan(0);
  });

  it('gives the occurrence that waits and all after it another tenant, or none', async () => {
    const rig = await nightly();
    const [timer] = await rig.rows('timers');
    expect(await rig.admin.changeTenant(String(timer?.['id']), 'acme')).toBe('occurrence');
    expect(await rig.admin.schedules.edit('nightly', { tenant: 'acme' })).toBe('edited');
    expect(await rig.rows('timers')).toMatchObject([{ id: timer?.['id'], due: timer?.['due'], tenant: 'acme' }]);
    expect(await rig.admin.schedules.get('nightly')).toMatchObject({ tenant: 'acme', definition: { tenant: 'acme', maxRuns: 9 } });
    expect(await rig.admin.audit()).toContainEqual(expect.objectContaining({ verb: 'schedules.edit', detail: 'tenant' }));
    await rig.admin.schedules.edit('nightly', { tenant: null });
    expect((await rig.rows('timers'))[0]).not.toHaveProperty('tenant');
    expect(await rig.admin.schedules.get('nightly')).not.toHaveProperty('tenant');
  });

  it.each([
    ['from a nickname', { cron: '@daily' }, { cron: '0 0 * * *' }],
    ['in the order of its fields', { cron: '0 9 * * *' }, { zone: 'UTC' }],
    ['in the text of an instant', { every: 'PT1H', from: '2026-01-01T00:30:00Z' }, { from: '2026-01-01T01:30:00.000+01:00' }],
  ])('that writes the same recurrence otherwise, %s, does not start it over', async (_what, written, edit) => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule(written));
    for (let day = 0; day < 2; day++) {
      await rig.clock.advance(24 * HOUR);
      await rig.fire();
      await rig.drain();
    }
    const before = await rig.admin.schedules.get('nightly');
    expect(await rig.admin.schedules.edit('nightly', edit)).toBe('edited');
    expect(before?.runs).toBeGreaterThan(0);
    expect(await rig.admin.schedules.get('nightly')).toMatchObject({ runs: before?.runs, next: before?.next });
  });

  describe('of a bounded repetition whose past has run', () => {
    const weekly = async (): Promise<ScheduledRig> => {
      const rig = scheduled();
      await rig.admin.schedules.put(schedule({ every: 'R12/2026-01-05T00:00:00Z/P7D', missed: 'all' }));
      await rig.pass(3 * MINUTE);
      expect(rig.ran).toHaveLength(8);
      return rig;
    };
    const edited = (rig: ScheduledRig, count: number) =>
      rig.admin.schedules.edit('nightly', { every: `R${count}/2026-01-05T00:00:00Z/P7D` });

    it('goes on with what is to come, however often it is edited', async () => {
      const rig = await weekly();
      for (const count of [20, 24, 30]) {
        await edited(rig, count);
        await rig.pass(2 * MINUTE);
        expect(await rig.admin.schedules.get('nightly')).toMatchObject({ next: { at: new Date('2026-03-02T00:00:00Z') } });
      }
      expect(rig.ran).toHaveLength(8);
    });

    it('goes on with what is to come after a pause took back what was fired ahead', async () => {
      const rig = await weekly();
      await rig.clock.advance(24 * HOUR - 4 * MINUTE);
      await rig.tick();
      expect(await rig.counts()).toMatchObject({ jobs: 1 });
      await rig.admin.schedules.pause('nightly');
      await rig.admin.schedules.resume('nightly');
      await edited(rig, 20);
      await rig.pass(4 * MINUTE);
      expect(rig.ran.slice(8)).toEqual(['2026-03-02T00:00:00']);
    });
  });

  it('begins with the past of a bounded repetition if the schedule has not fired', async () => {
    const rig = await nightly();
    await rig.admin.schedules.edit('nightly', {
      every: 'R3/2026-02-28T21:00:00Z/PT1H',
      zone: null,
      exclude: null,
      missed: 'all',
    });
    await rig.pass(2 * MINUTE);
    expect(rig.ran.toSorted()).toEqual(['2026-02-28T21:00:00', '2026-02-28T22:00:00', '2026-02-28T23:00:00']);
  });

  it('leaves a pause as it is', async () => {
    const rig = await nightly();
    await rig.admin.schedules.pause('nightly', { reason: 'audit' });
    expect(await rig.admin.schedules.edit('nightly', { cron: '* * * * *' })).toBe('edited');
    expect(await rig.admin.schedules.get('nightly')).toMatchObject({ paused: { reason: 'audit' } });
  });

  it('of a definition that was changed since it was shown writes nothing', async () => {
    const rig = await nightly();
    const { hash = '' } = (await rig.admin.schedules.get('nightly')) ?? {};
    expect(await rig.admin.schedules.edit('nightly', { missed: 'all' }, { hash })).toBe('edited');
    expect(await rig.admin.schedules.edit('nightly', { missed: 'skip' }, { hash })).toBe('changed');
    expect(await definitionOf(rig)).toMatchObject({ missed: 'all' });
    expect((await rig.admin.audit()).filter(({ verb }) => verb === 'schedules.edit')).toHaveLength(1);
  });

  it('keeps what another operator changes between its read and its write', async () => {
    const rig = await nightly();
    const schedules = interrupted(rig, async () => rig.admin.schedules.edit('nightly', { missed: 'skip' }));
    expect(await schedules.edit('nightly', { overlap: 'skip' })).toBe('edited');
    expect(await definitionOf(rig)).toMatchObject({ missed: 'skip', overlap: 'skip' });
  });

  it('is not found, and not audited, when another operator deletes the schedule between its read and its write', async () => {
    const rig = await nightly();
    const schedules = interrupted(rig, async () => rig.admin.schedules.delete('nightly'));
    expect(await schedules.edit('nightly', { overlap: 'skip' })).toBe('not-found');
    expect((await rig.admin.audit()).map(({ verb }) => verb)).not.toContain('schedules.edit');
  });

  it('checks the payload against the schema of its type where the session knows it', async () => {
    const rig = await nightly();
    const report = defineJob('report', { payload: z.object({ shop: z.string() }) });
    const jobTypes = new Map([['report', report as unknown as AnyJobType]]);
    const { schedules } = createAdminOver({ ...rig.deps, jobTypes });
    await expect(schedules.edit('nightly', { payload: { shop: 1 } })).rejects.toThrow(/payload/);
    expect(await schedules.edit('nightly', { payload: { shop: 'berlin' } })).toBe('edited');
    expect(await definitionOf(rig)).toMatchObject({ payload: '{"shop":"berlin"}', schemaVersion: 1 });
  });

  it('of an unknown schedule is not found, and of one that code declares is refused', async () => {
    const rig = scheduled();
    expect(await rig.admin.schedules.edit('nightly', { missed: 'all' })).toBe('not-found');
    await syncSchedules(rig.deps, [schedule({ cron: '0 9 * * *' })]);
    await expect(rig.admin.schedules.edit('nightly', { missed: 'all' })).rejects.toThrow(/Code declares this schedule/);
    expect(await rig.admin.audit()).toEqual([]);
  });

  it.each<[unknown, RegExp]>([
    [{ cron: 'never' }, /^cron: /],
    [{ cron: '0 9 * * *', every: 'PT1H' }, /^cron: /],
    [{ cron: '0 9 * * SAT' }, /^exclude: .*No occurrence is left/],
    [{ exclude: ['easter'] }, /^exclude\.0: /],
    [{ until: 'soon' }, /^until: /],
    [{ jitter: 'P2D' }, /^jitter: /],
    [{ maxRuns: 0 }, /^maxRuns: /],
    [{ tenant: '' }, /^tenant: .*null for none/],
    [{ tenant: 7 }, /^tenant: /],
    [{ overlap: 'never' }, /^overlap: /],
    [{ payload: () => 1 }, /^payload: /],
    [{ type: 'other' }, /^edit: "type"/],
    ['cron', /^edit: /],
  ])('%j is refused with the field and the fix, and nothing is written', async (edit, message) => {
    const rig = await nightly();
    const before = await rig.admin.schedules.get('nightly');
    const refused = rig.admin.schedules.edit('nightly', edit as ScheduleEdit);
    await expect(refused).rejects.toThrow(InvalidInputError);
    await expect(refused).rejects.toThrow(message);
    expect(await rig.admin.schedules.get('nightly')).toEqual(before);
  });

  it('with options that there are not is refused', async () => {
    const rig = await nightly();
    await expect(rig.admin.schedules.edit('nightly', {}, { rev: 1 } as never)).rejects.toThrow(/^options: "rev"/);
    await expect(rig.admin.schedules.edit('nightly', {}, { hash: 1 } as never)).rejects.toThrow(/^hash: /);
    await expect(rig.admin.schedules.edit('not a name', {})).rejects.toThrow(/^name: /);
  });
});

describe("a schedule that a deployment takes over between an operator's read and write", () => {
  it.each<[string, (schedules: ScheduleAdmin) => Promise<unknown>]>([
    ['put', async (schedules) => schedules.put(schedule({ cron: '0 5 * * *' }))],
    ['delete', async (schedules) => schedules.delete('nightly')],
  ])('is left as code declares it, and the %s is refused', async (_, verb) => {
    const rig = await nightly();
    const declared = schedule({ cron: '0 7 * * *' });
    const schedules = interrupted(rig, async () => syncSchedules(rig.deps, [declared]));
    await expect(verb(schedules)).rejects.toThrow(/^name: .*Code declares this schedule/);
    expect(await rig.admin.schedules.get('nightly')).toMatchObject({ origin: 'code', definition: declared });
  });
});
