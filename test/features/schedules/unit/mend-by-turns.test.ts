import { expect, it } from 'vitest';
import { repairSchedules } from '../../../../functions/sweeper/duties/repair-schedules.ts';
import { createAdminOver } from '../../../../operate/admin.ts';
import { StoreUnavailableError } from '../../../../shared/job/errors.ts';
import type { Tables } from '../../../../shared/ports/tables.ts';
import { scheduleKey } from '../../../../shared/features/schedules/store/schedule-rows.ts';
import { lateSchedules, unmended } from '../../../support/late-schedules.ts';
import type { Rig } from '../../../support/rig.ts';

const MINUTE = 60_000;
const NOTES = 'schedules';
const LOOKS = 200;

/** Where the sweeper noted that it left off. */
const leftOff = async (rig: Rig): Promise<unknown> => rig.deps.tables.get('control', { pk: NOTES, sk: 'left-off' });

it('late schedules are all looked at in turn, however many there are and wherever they stand in the alphabet', async () => {
  const count = 1_100;
  const { rig, lost } = await lateSchedules(count, 60);
  for (let run = 0; run < Math.ceil(count / LOOKS); run++) {
    await rig.sweep();
    await rig.clock.advance(MINUTE);
  }
  expect(await unmended(rig, lost)).toEqual([]);
});

it('a run that can look at all late schedules forgets where one left off that could not', async () => {
  const { rig } = await lateSchedules(LOOKS + 1, 1);
  expect(await leftOff(rig)).toBeUndefined();
  await rig.sweep();
  expect(await leftOff(rig)).toBeDefined();
  await createAdminOver(rig.deps).schedules.delete('report-0000');
  await rig.sweep();
  expect(await leftOff(rig)).toBeUndefined();
});

it('time that runs out leaves the rest to the next run', async () => {
  const { rig, lost } = await lateSchedules(60, 60);
  const slow: Tables = {
    ...rig.deps.tables,
    get: async (table, key) => {
      if (String(key['pk']).startsWith('schedule#')) await rig.clock.advance(1_000);
      return rig.deps.tables.get(table, key);
    },
  };
  for (let run = 0; run < 6; run++) await repairSchedules({ ...rig.deps, backlog: rig.hints, tables: slow }, rig.clock.now() + 10_000);
  expect(await unmended(rig, lost)).toEqual([]);
});

it('a partition that cannot be read does not keep the others from being repaired', async () => {
  const { rig, lost } = await lateSchedules(60, 60);
  const partitions = Map.groupBy(lost, (name) => scheduleKey(name)['pk']);
  const [broken = '', kept = []] = [...partitions][0] ?? [];
  const tables: Tables = {
    ...rig.deps.tables,
    query: async (query) => {
      if (query.partition === broken) throw new StoreUnavailableError('query', new Error('throttled'));
      return rig.deps.tables.query(query);
    },
  };
  await repairSchedules({ ...rig.deps, backlog: rig.hints, tables }, rig.clock.now() + MINUTE);
  expect(await unmended(rig, lost)).toEqual(kept);
  expect(rig.journal.count('store-failed')).toBe(1);
});

it.each([{}, { partition: 7, name: true }, { partition: 'schedule#x', name: 'report' }, { partition: 'schedule#0', name: '' }])(
  'a note of where a run left off that says %j keeps no schedule from being repaired',
  async (said) => {
    const { rig, lost } = await lateSchedules(20, 20);
    await rig.tables.write({ op: 'put', table: 'control', row: { pk: NOTES, sk: 'left-off', ...said } });
    await rig.sweep();
    expect(await unmended(rig, lost)).toEqual([]);
  },
);
