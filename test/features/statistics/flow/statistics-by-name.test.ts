import { describe, expect, it } from 'vitest';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { MAX_NAMES } from '../../../../shared/features/statistics/model/statistics.ts';
import { addToMinute, minuteKey } from '../../../../shared/features/statistics/store/statistics-rows.ts';
import type { Write } from '../../../../shared/ports/tables.ts';
import { countWrites, faultyTables } from '../../../support/faulty-tables.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';
import { createAdminOver } from '../../../../operate/admin.ts';
import { type SummingRig, summingRig } from '../../../support/summing-rig.ts';

const MINUTE = 60_000;
const mail = defineJob('mail.send', { payload: anyPayload, retry: 'R2/PT10S' });
const report = defineJob('report.run', { payload: anyPayload, retry: 'never' });

function stage(statistics: number): SummingRig {
  const all: SummingRig = summingRig({
    handlers: [mail, report].map((type) =>
      type.handle(async ({ payload }) => {
        if (payload['bad'] === true) throw new Error('no');
        await all.rig.clock.advance(Number(payload['ms'] ?? 0));
      }),
    ),
    settings: { statistics },
  });
  return all;
}

/** Two types and two tenants, within one minute. */
async function played(statistics: number): Promise<SummingRig> {
  const all = stage(statistics);
  const { client, clock } = all.rig;
  await clock.advance(MINUTE - (clock.now() % MINUTE));
  await client.enqueue(mail, { ms: 100 }, { tenant: 'acme' });
  await all.drain();
  await client.enqueue(mail, {}, { tenant: 'a#b' });
  await all.drain();
  await client.enqueue(mail, { bad: true }, { tenant: 'acme' });
  await client.enqueue(report, { bad: true });
  await all.drain();
  await all.end();
  return all;
}

const isMinute = (writes: readonly Write[]): boolean =>
  writes.some((write) => write.op === 'update' && String(write.key['pk']).startsWith('stats#'));
const none = { completed: 0, retried: 0, dead: 0 };

describe('statistics by type and tenant', () => {
  it('count what became of the jobs of each, most started first, with their mean time in handlers', async () => {
    const { admin } = await played(3);
    expect(await admin.statisticsBy('type')).toEqual({
      sums: [
        { name: 'mail.send', started: 3, completed: 2, retried: 1, dead: 0, runMs: 50 },
        { name: 'report.run', started: 1, completed: 0, retried: 0, dead: 1 },
      ],
    });
    expect(await admin.statisticsBy('tenant')).toEqual({
      sums: [
        { name: 'acme', started: 2, completed: 1, retried: 1, dead: 0, runMs: 100 },
        { name: 'a#b', started: 1, completed: 1, retried: 0, dead: 0, runMs: 0 },
      ],
    });
    expect(await admin.statistics()).toMatchObject([{ started: 4, completed: 2, retried: 1, dead: 1 }]);
  });

  it.each([
    [1, 0, 0],
    [2, 2, 0],
    [3, 2, 2],
  ])('are kept only where the setting says so: at %i', async (statistics, types, tenants) => {
    const { rig, admin } = await played(statistics);
    expect((await admin.statisticsBy('type')).sums).toHaveLength(types);
    expect((await admin.statisticsBy('tenant')).sums).toHaveLength(tenants);
    const [row = {}] = (await rig.rows('control')).filter(({ pk }) => String(pk).startsWith('stats#'));
    expect(Object.keys(row).filter((name) => /^(type|tenant)/.test(name)).length > 0).toBe(statistics > 1);
  });

  it('are of one worker and of a stretch of time where that is asked', async () => {
    const { rig, admin } = await played(2);
    expect((await admin.statisticsBy('type', { worker: 'default' })).sums).toHaveLength(2);
    expect(await admin.statisticsBy('type', { worker: 'other' })).toEqual({ sums: [] });
    expect(await admin.statisticsBy('type', { from: new Date(rig.clock.now() + MINUTE) })).toEqual({ sums: [] });
  });

  it('cost a sandbox one write in ten seconds while it brings a minute its names, and two when another did before it', async () => {
    const { rig, faults, drain, end, freshSandbox } = await played(3);
    const writes = countWrites(faults, isMinute);
    await rig.clock.advance(MINUTE);
    for (const expected of [1, 3]) {
      await rig.client.enqueue(mail, {}, { tenant: 'acme' });
      await drain();
      await end();
      expect(writes()).toBe(expected);
      freshSandbox();
    }
  });

  it('go on where the store refused them', async () => {
    const { rig, admin, faults, drain, end } = await played(2);
    faults.next(isMinute, 'unavailable');
    await rig.clock.advance(10_000);
    await rig.client.enqueue(report, {});
    await drain();
    await end();
    expect(faults.pending()).toBe(0);
    expect((await admin.statisticsBy('type')).sums).toContainEqual({
      name: 'report.run',
      started: 2,
      completed: 1,
      retried: 0,
      dead: 1,
      runMs: 0,
    });
  });
});

describe('a minute with more types or tenants than it has places', () => {
  const names = (kind: string, from: number, to: number): Record<string, number> =>
    Object.fromEntries(Array.from({ length: to - from }, (_, index) => [`${kind}#${String(from + index).padStart(3, '0')}#started`, 1]));

  it(`names ${MAX_NAMES} of each kind, whoever comes first, and adds up the others without a name`, async () => {
    const rig = new Rig();
    const admin = createAdminOver(rig.deps);
    const now = rig.clock.now();
    await addToMinute(rig.tables, 'all', now, { started: 30, ...names('tenant', 0, 30), ...names('type', 0, 2) });
    await addToMinute(rig.tables, 'all', now, { started: 40, ...names('tenant', 10, 50), 'tenant#003#dead': 2 });
    const { sums } = await admin.statisticsBy('tenant');
    expect(sums).toHaveLength(MAX_NAMES + 1);
    expect(sums.slice(0, MAX_NAMES).map(({ name, started }) => `${name} ${started}`).toSorted()).toEqual(
      Array.from({ length: MAX_NAMES }, (_, index) => `${String(index).padStart(3, '0')} ${index < 10 ? 1 : 2}`),
    ); // oxfmt-ignore
    expect(sums.find(({ name }) => name === '003')).toMatchObject({ dead: 2 });
    expect(sums.at(-1)).toEqual({ started: 30 + 40 - 16 - 6, ...none });
    expect((await admin.statisticsBy('type')).sums).toHaveLength(2);
  });

  it('never holds more, and loses nothing, when many sandboxes write at once', async () => {
    const rig = new Rig();
    const now = rig.clock.now();
    await Promise.all(
      Array.from({ length: 12 }, async (_, sandbox) => addToMinute(rig.tables, 'all', now, names('tenant', sandbox * 3, sandbox * 3 + 6))),
    );
    const row = (await rig.tables.get('control', minuteKey('all', now))) ?? {};
    expect(Object.keys(row).filter((name) => /^tenant\d+$/.test(name))).toHaveLength(MAX_NAMES);
    const { sums } = await createAdminOver(rig.deps).statisticsBy('tenant');
    expect(sums.reduce((sum, { started }) => sum + started, 0)).toBe(12 * 6);
    expect(new Set(sums.map(({ name }) => name)).size).toBe(sums.length);
  });

  it('gives a name one place, where another sandbox took the first free one in between', async () => {
    const rig = new Rig();
    const now = rig.clock.now();
    const faults = faultyTables(rig.tables);
    faults.before(isMinute, async () => addToMinute(rig.tables, 'all', now, { 'type#b#started': 1 }));
    await addToMinute(faults.tables, 'all', now, { 'type#a#started': 5, 'type#b#started': 5 });
    const { sums } = await createAdminOver(rig.deps).statisticsBy('type');
    expect(sums).toEqual([
      { name: 'b', started: 6, ...none },
      { name: 'a', started: 5, ...none },
    ]);
  });

  it('is shown with the most started first, then by name', async () => {
    const rig = new Rig();
    const started = { 'type#a#started': 1, 'type#d#started': 2, 'type#c#started': 2, 'type#b#started': 3 };
    await addToMinute(rig.tables, 'all', rig.clock.now(), started);
    const { sums } = await createAdminOver(rig.deps).statisticsBy('type');
    expect(sums.map(({ name }) => name)).toEqual(['b', 'c', 'd', 'a']);
  });

  it('fits into an update of DynamoDB with every number that a sandbox can have', async () => {
    const rig = new Rig();
    const counts = ['started', 'completed', 'retried', 'dead', 'runs', 'runMs'];
    const all = ['type', 'tenant'].flatMap((kind) =>
      Array.from({ length: 40 }, (_, index) => counts.map((count) => [`${kind}#${'x'.repeat(200)}${index}#${count}`, 1])).flat(),
    );
    const delays = Array.from({ length: 63 }, (_, bucket) => [`d${bucket}`, 1]);
    const others = [...counts, 'cancelled', 'expired', 'skipped', 'snoozed', 'crashed', 'fired'].map((count) => [count, 1]);
    await addToMinute(rig.tables, 'all', rig.clock.now(), Object.fromEntries([...others, ...delays, ...all]) as Record<string, number>);
    expect((await createAdminOver(rig.deps).statisticsBy('type')).sums).toHaveLength(MAX_NAMES + 1);
  });
});
