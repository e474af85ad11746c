import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../../../operate/admin.ts';
import { SettableClock } from '../../../../shared/adapters/memory/settable-clock.ts';
import { type AnyJobType, defineJob } from '../../../../shared/job/job-type.ts';
import { defineSchedule, type ScheduleDefinition } from '../../../../shared/features/schedules/model/definition.ts';
import { putReport } from '../../../../shared/features/workers/store/worker-rows.ts';
import { rigTables } from '../../../support/rig-tables.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';
import { sealingCodec } from '../../../support/sealing-codec.ts';

const seal = sealingCodec('seal');
const coded = defineJob('pay', { payload: anyPayload, codec: seal });
const inClear = defineJob('pay', { payload: anyPayload });
const ending = defineJob('pay', { payload: anyPayload, readCodecs: [seal] });
const other = defineJob('other', { payload: anyPayload });
const REFUSED = 'payload: a payload of job type "pay", which codec "seal" encodes, is not valid. A schedule is stored as it is. Give {}';

/** Workers of several versions over the same tables. */
function deployment() {
  const clock = new SettableClock();
  const tables = rigTables(clock);
  const use = async (version: string, pay: AnyJobType): Promise<Rig> => {
    const handlers = [pay.handle(() => undefined), other.handle(() => undefined)];
    const rig = new Rig({ clock, tables, version, handlers });
    await rig.client.enqueue(other, {});
    await rig.drain();
    await clock.advance(60_000);
    return rig;
  };
  return { use, idle: new Rig({ clock, tables }) };
}

/** A session with these job types. */
const sessionOf = ({ deps }: Rig, ...types: readonly AnyJobType[]) =>
  createAdminOver({ ...deps, ...(types.length === 0 ? {} : { jobTypes: new Map(types.map((type) => [type.name, type])) }) }).schedules;

const nightly = (payload: Record<string, unknown> = { iban: 'DE1' }, job: AnyJobType = inClear): ScheduleDefinition =>
  defineSchedule('nightly', { job: job as typeof inClear, payload, every: 'P1D' });

describe('a schedule of a type whose payloads are encoded', () => {
  it('is not put with a payload, if the session has the type', async () => {
    const { idle } = deployment();
    const schedules = sessionOf(idle, coded);
    await expect(schedules.put(nightly())).rejects.toThrow(REFUSED);
    expect(await schedules.list()).toMatchObject({ schedules: [] });
    expect(await schedules.put(nightly({}))).toMatchObject({ definition: { payload: '{}' } });
    await expect(schedules.edit('nightly', { payload: { iban: 'DE1' } })).rejects.toThrow(REFUSED);
    expect(await schedules.get('nightly')).toMatchObject({ definition: { payload: '{}' } });
    expect(await schedules.edit('nightly', { payload: {}, maxRuns: 3 })).toBe('edited');
  });

  it('is not put with a payload by a session that knows no types, if its worker reported the codec', async () => {
    const { use } = deployment();
    const schedules = sessionOf(await use('1', coded));
    await expect(schedules.put(nightly())).rejects.toThrow(REFUSED);
    expect(await schedules.list()).toMatchObject({ schedules: [] });
    await schedules.put(nightly({}));
    await expect(schedules.edit('nightly', { payload: { iban: 'DE1' } })).rejects.toThrow(REFUSED);
    await expect(schedules.edit('nightly', { payload: null })).rejects.toThrow(REFUSED);
    expect(await schedules.get('nightly')).toMatchObject({ definition: { payload: '{}' } });
    expect(await schedules.edit('nightly', { maxRuns: 3 })).toBe('edited');
  });

  it('keeps what it has, in other edits, if it is older than the codec', async () => {
    const { use } = deployment();
    await sessionOf(await use('1', inClear)).put(nightly());
    const schedules = sessionOf(await use('2', coded));
    expect(await schedules.edit('nightly', { maxRuns: 3 })).toBe('edited');
    expect(await schedules.get('nightly')).toMatchObject({ definition: { payload: '{"iban":"DE1"}', maxRuns: 3 } });
    await expect(schedules.put(nightly())).rejects.toThrow(REFUSED);
  });

  it('is the affair of the version that reported last', async () => {
    const { use } = deployment();
    const schedules = sessionOf(await use('1', coded));
    await use('2', ending);
    expect(await schedules.put(nightly())).toMatchObject({ definition: { payload: '{"iban":"DE1"}' } });
    await use('3', coded);
    await expect(schedules.put(nightly())).rejects.toThrow(REFUSED);
  });

  it('is told apart from other types of the worker, and from a type that nobody reported', async () => {
    const { use, idle } = deployment();
    expect(await sessionOf(idle).put(nightly())).toMatchObject({ type: 'pay' });
    const schedules = sessionOf(await use('1', coded));
    expect(await schedules.put(nightly({ iban: 'DE1' }, other))).toMatchObject({ type: 'other' });
    const longer = defineJob('pay.late', { payload: anyPayload });
    expect(await schedules.put(nightly({ iban: 'DE1' }, longer))).toMatchObject({ type: 'pay.late' });
  });

  it('is known from a worker outside Lambda that has every type, if it was told of this one', async () => {
    const { idle } = deployment();
    const report = { worker: 'default', version: '1', kind: 'outside', types: ['*'], at: idle.clock.now() } as const;
    await putReport(idle.tables, report);
    expect(await sessionOf(idle).put(nightly())).toMatchObject({ type: 'pay' });
    await putReport(idle.tables, { ...report, codecs: ['pay=seal'] });
    await expect(sessionOf(idle).put(nightly())).rejects.toThrow(REFUSED);
  });

  it('is judged by the type that the session has, whatever was reported', async () => {
    const { use } = deployment();
    const rig = await use('1', coded);
    expect(await sessionOf(rig, inClear).put(nightly())).toMatchObject({ definition: { payload: '{"iban":"DE1"}' } });
    await expect(sessionOf(rig, other).put(nightly())).rejects.toThrow(REFUSED);
  });
});
