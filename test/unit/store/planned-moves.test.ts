import { describe, expect, it } from 'vitest';
import { SettableClock } from '../../../shared/adapters/memory/settable-clock.ts';
import { createMemoryTables } from '../../../shared/adapters/memory/tables.ts';
import type { Row, TableName, Tables, Write } from '../../../shared/ports/tables.ts';
import type { ResumeTerms } from '../../../shared/store/ready-row.ts';
import { planTenant } from '../../../shared/store/change-tenant.ts';
import { editWrites, planPayload } from '../../../shared/store/edit-job.ts';
import { parkedPointerRow, parkedRow } from '../../../shared/store/parked-rows.ts';
import { locate, type Located } from '../../../shared/store/locate.ts';
import { jobRow, suspendedRow, timerRow } from '../../../shared/store/rows.ts';
import { planResume } from '../../../shared/store/resume.ts';
import { planRunNow } from '../../../shared/store/run-now.ts';
import { planBreakpoint } from '../../../shared/store/suspend.ts';
import { planPriority } from '../../../shared/store/set-priority.ts';
import { NOON, readyJob, sampleJob } from '../job/sample-job.ts';

const HOUR = 3_600_000;
const LATER = NOON + 5 * HOUR;
const { id } = sampleJob();
const TABLES: readonly TableName[] = ['jobs', 'timers', 'suspended', 'deadLetters'];
const terms: ResumeTerms = { token: 'token', now: NOON, redispatchAfterMs: HOUR, delayHorizonMs: HOUR };
const lanes = () => ({ lanes: { default: 'url', urgent: 'url' }, from: { urgent: 5 } });
const suspended = (dueAt: number) =>
  suspendedRow({ ...sampleJob({ dueAt }), cause: 'tenant#acme', tenant: 'acme', suspendedAt: NOON, from: 'jobs' });

const put = (table: TableName, row: Row) => ({ op: 'put', table, row }) as const;

/** Where the job lies when it is looked at. */
const PLACES = {
  ready: [put('jobs', jobRow(readyJob()))],
  'ready, in a group': [put('jobs', jobRow(readyJob({ group: 'g' })))],
  waiting: [put('timers', timerRow(sampleJob({ dueAt: NOON })))],
  parked: [put('timers', parkedRow(sampleJob(), 'h', NOON - 7)), put('control', parkedPointerRow(id, 'h', NOON - 7))],
  'suspended, due': [put('suspended', suspended(NOON))],
  'suspended, due later': [put('suspended', suspended(LATER))],
} as const;

type Place = keyof typeof PLACES;
type Plan = (found: Located, tables: Tables) => Promise<readonly Write[]> | readonly Write[];
const change = (found: Located) => found as Exclude<Located, { state: 'finished' }>;

const VERBS: readonly (readonly [string, readonly Place[], Plan])[] = [
  ['runs it now', ['ready', 'waiting', 'suspended, due', 'suspended, due later'], (found) => planRunNow(found, terms).writes],
  ['resumes it', ['suspended, due', 'suspended, due later'], (found) => planResume(found, terms).writes],
  ['stops it', ['ready', 'waiting', 'suspended, due'], (found) => planBreakpoint(found, { now: NOON, reason: 'r' }).writes],
  [
    'gives it a priority',
    ['ready', 'ready, in a group', 'waiting', 'parked', 'suspended, due'],
    (found) => planPriority(found, { priority: 9, lanes }, terms).writes,
  ],
  [
    'gives it a payload',
    ['ready', 'waiting', 'parked', 'suspended, due'],
    (found) => planPayload(found, { payload: '{"b":2}' }, terms).writes,
  ],
  [
    'takes its tenant from it',
    ['ready', 'waiting', 'parked', 'suspended, due later'],
    (found) => editWrites(change(found), { tenant: undefined }, terms).writes,
  ],
  [
    'moves it to another tenant',
    ['ready', 'waiting', 'parked', 'suspended, due', 'suspended, due later'],
    async (found, tables) =>
      (await planTenant(tables, found, 'other', { ...terms, batch: async () => undefined, recode: async () => ({}) })).writes,
  ],
];
const CASES = VERBS.flatMap(([verb, places, plan]) => places.map((place) => ({ verb, place, plan })));

async function planned(place: Place, plan: Plan) {
  const tables = createMemoryTables({ clock: new SettableClock(NOON) });
  for (const write of PLACES[place]) await tables.write(write);
  const found = await locate(tables, id);
  if (found === undefined) throw new Error('no job');
  return { tables, found, writes: await plan(found, tables) };
}

async function rowsOf(tables: Tables, at: Located) {
  const places = await Promise.all(TABLES.map(async (table) => (table === 'timers' ? undefined : tables.get(table, { id }))));
  const timer = at.table === 'timers' ? await tables.get('timers', at.key) : undefined;
  return [...places, timer].filter((row) => row !== undefined);
}

describe('a verb that moves or changes a job', () => {
  it.each(CASES)('$verb ($place): it lies in one place afterwards, is found there, and its count has gone on', async ({ place, plan }) => {
    const { tables, found, writes } = await planned(place, plan);
    expect((await tables.transact(writes, 'token')).applied).toBe(true);
    const now = await locate(tables, id);
    expect(now?.job.rev).toBeGreaterThan(found.job.rev);
    expect(await rowsOf(tables, found)).toHaveLength(now?.table === 'timers' && found.table !== 'timers' ? 0 : 1);
  });

  it.each(CASES)('$verb ($place): not when its row has changed since it was read, or is gone', async ({ place, plan }) => {
    const changed = await planned(place, plan);
    const { table, key } = changed.found;
    await changed.tables.write({ op: 'update', table, key, set: {}, add: { rev: 1 } });
    expect((await changed.tables.transact(changed.writes, 'token')).applied).toBe(false);
    const gone = await planned(place, plan);
    await gone.tables.write({ op: 'delete', table, key });
    expect((await gone.tables.transact(gone.writes, 'token')).applied).toBe(false);
  });

  it.each(CASES.filter(({ place }) => !place.startsWith('ready')))(
    '$verb ($place): it replaces no job that lies ready under its id',
    async ({ place, plan }) => {
      const { tables, writes } = await planned(place, plan);
      const twin = jobRow(readyJob({ rev: 99 }));
      await tables.write(put('jobs', twin));
      await tables.transact(writes, 'token');
      expect(await tables.get('jobs', { id })).toEqual(twin);
    },
  );

  it.each(CASES.filter(({ place }) => place.startsWith('ready')))('$verb ($place): not when it was claimed', async ({ place, plan }) => {
    const { tables, writes } = await planned(place, plan);
    await tables.write({ op: 'update', table: 'jobs', key: { id }, set: { lockOwner: 'run/somebody' } });
    expect((await tables.transact(writes, 'token')).applied).toBe(false);
  });
});

describe('a suspended job that is resumed', () => {
  it.each([
    ['suspended, due', 'ready'],
    ['suspended, due later', 'waiting'],
  ] as const)('(%s) is %s, due when it was', async (place, state) => {
    const { tables, found, writes } = await planned(place, (seen) => planResume(seen, terms).writes);
    await tables.transact(writes, 'token');
    expect(await locate(tables, id)).toMatchObject({ state, job: { dueAt: found.job.dueAt } });
  });

  it('goes at once when it is to run now, whatever its time', async () => {
    const { tables, writes } = await planned('suspended, due later', (seen) => planRunNow(seen, terms).writes);
    await tables.transact(writes, 'token');
    expect(await locate(tables, id)).toMatchObject({ state: 'ready', job: { dueAt: NOON, runNow: true } });
  });

  it('keeps a due time that has passed when it is to run now', async () => {
    const late = { ...terms, now: NOON + HOUR };
    const { tables, found, writes } = await planned('suspended, due', (seen) => planRunNow(seen, late).writes);
    await tables.transact(writes, 'token');
    expect(await locate(tables, id)).toMatchObject({ state: 'ready', job: { dueAt: found.job.dueAt, runNow: true } });
  });
});
