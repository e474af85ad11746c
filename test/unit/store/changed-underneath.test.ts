import { describe, expect, it, vi } from 'vitest';
import { StoreUnavailableError } from '../../../shared/job/errors.ts';
import type { JobId } from '../../../shared/job/job-id.ts';
import { uniqueKeyHash } from '../../../shared/job/unique-key.ts';
import { SettableClock } from '../../../shared/adapters/memory/settable-clock.ts';
import { createMemoryTables, type MemoryTables } from '../../../shared/adapters/memory/tables.ts';
import type { Row, Tables, Write } from '../../../shared/ports/tables.ts';
import { cancel } from '../../../shared/store/cancel.ts';
import { planTenant } from '../../../shared/store/change-tenant.ts';
import { uniqueKeyKey, uniqueKeyRow } from '../../../shared/store/control-rows.ts';
import { create } from '../../../shared/store/create.ts';
import { deleteJob } from '../../../shared/store/delete-job.ts';
import { endAsSkipped } from '../../../shared/features/schedules/store/end-as-skipped.ts';
import { locate } from '../../../shared/store/locate.ts';
import { reschedule } from '../../../shared/store/reschedule.ts';
import { deadLetterRow, jobRow, timerKey, timerRow } from '../../../shared/store/rows.ts';
import { setRetries } from '../../../shared/store/set-retries.ts';
import { faultyTables } from '../../support/faulty-tables.ts';
import { idOf } from '../../support/job-rows.ts';
import { NOON, readyJob, sampleJob } from '../job/sample-job.ts';

const HOUR = 3_600_000;
const { id } = sampleJob();
const other: JobId = idOf(7);
const terms = { token: 't', now: NOON, redispatchAfterMs: HOUR, delayHorizonMs: HOUR };

async function withRow(table: 'jobs' | 'timers' | 'deadLetters', row: Row): Promise<MemoryTables> {
  const tables = createMemoryTables({ clock: new SettableClock(NOON) });
  await tables.write({ op: 'put', table, row });
  return tables;
}

/** What a verb answers when something is written right before its first write, and how often it writes. */
async function meanwhile<Answer>(tables: Tables, write: Write, verb: (tables: Tables) => Promise<Answer>) {
  const faulty = faultyTables(tables);
  faulty.before(
    () => true,
    async () => tables.write(write as never),
  );
  const [transact, single] = [vi.spyOn(faulty.tables, 'transact'), vi.spyOn(faulty.tables, 'write')];
  const answer = await verb(faulty.tables);
  return { answer, writes: transact.mock.calls.length + single.mock.calls.length };
}
const edit = (table: 'jobs' | 'timers', key: Readonly<Record<string, string>>): Write => ({
  op: 'update',
  table,
  key,
  set: {},
  add: { rev: 1 },
});
const claimed = (lockOwner = 'run/x'): Write => ({ op: 'update', table: 'jobs', key: { id }, set: { lockOwner } });

describe('a cancel', () => {
  const stop = async (tables: Tables) => (await cancel(tables, id, { token: 't', now: NOON })).outcome;

  it('asks the run to end that began meanwhile', async () => {
    const tables = await withRow('jobs', jobRow(readyJob()));
    expect(await meanwhile(tables, claimed(), stop)).toEqual({ answer: 'cancel-requested', writes: 2 });
    expect(tables.rows('jobs')).toMatchObject([{ cancelRequested: true, lockOwner: 'run/x' }]);
  });

  it('looks again at a job that was edited meanwhile', async () => {
    expect(await meanwhile(await withRow('jobs', jobRow(readyJob())), edit('jobs', { id }), stop)).toEqual({
      answer: 'cancelled',
      writes: 2,
    });
  });

  it('ends a job whose run is over by the time that it asks it to end', async () => {
    const tables = await withRow('jobs', jobRow(readyJob({ lockOwner: 'run/x' })));
    expect(await meanwhile(tables, claimed('queue/0/y'), stop)).toEqual({ answer: 'cancelled', writes: 2 });
    expect(tables.rows('jobs')).toEqual([]);
  });
});

describe('another due time', () => {
  const [soon, late] = [NOON + HOUR, NOON + HOUR + 1];
  const to = (dueAt: number) => async (tables: Tables) => (await reschedule(tables, id, dueAt, terms)).outcome;
  const places = {
    ready: async () => withRow('jobs', jobRow(readyJob())),
    waiting: async () => withRow('timers', timerRow(sampleJob({ dueAt: NOON }))),
  };
  const timer = timerKey(id, NOON);

  it.each([
    [soon, 'ready'],
    [late, 'waiting'],
  ] as const)('puts a job into its queue when that is within the delay horizon (%i)', async (dueAt, state) => {
    for (const place of [places.ready, places.waiting]) {
      const tables = await place();
      expect(await to(dueAt)(tables)).toBe('rescheduled');
      expect(await locate(tables, id)).toMatchObject({ state, job: { dueAt } });
    }
  });

  it.each([soon, late])('is not given to a job that runs by now (%i)', async (dueAt) => {
    const tables = await places.ready();
    expect((await meanwhile(tables, claimed(), to(dueAt))).answer).toBe('running');
    expect(tables.rows('jobs')).toMatchObject([{ lockOwner: 'run/x' }]);
  });

  it.each([
    ['ready, to wait', places.ready, edit('jobs', { id }), late],
    ['ready, to be ready', places.ready, edit('jobs', { id }), soon],
    ['waiting, to wait', places.waiting, edit('timers', timer), late],
    ['waiting, to be ready', places.waiting, edit('timers', timer), soon],
  ] as const)('is given to a job as it was edited meanwhile (%s)', async (_, place, change, dueAt) => {
    const tables = await place();
    expect(await meanwhile(tables, change, to(dueAt))).toEqual({ answer: 'rescheduled', writes: 2 });
    expect((await locate(tables, id))?.job).toMatchObject({ dueAt, rev: 4 });
  });

  it('that it has already is written only over what was seen', async () => {
    const tables = await withRow('timers', timerRow(sampleJob({ dueAt: NOON })));
    const row = { ...tables.rows('timers')[0], dueAt: new Date(NOON + 3 * HOUR).toISOString() };
    await tables.write({ op: 'put', table: 'timers', row });
    const now = { ...terms, delayHorizonMs: -1 };
    const again = async (seen: Tables) => (await reschedule(seen, id, NOON, now)).outcome;
    expect(await meanwhile(tables, edit('timers', timer), again)).toEqual({ answer: 'rescheduled', writes: 2 });
    expect(tables.rows('timers')).toMatchObject([{ ...timer, rev: 4 }]);
  });

  it('replaces no job that lies ready under its id', async () => {
    const tables = await places.waiting();
    const twin = jobRow(readyJob({ rev: 99, lockOwner: 'run/x' }));
    const put: Write = { op: 'put', table: 'jobs', row: twin };
    expect((await meanwhile(tables, put, to(soon))).answer).toBe('running');
    expect(tables.rows('jobs')).toEqual([twin]);
  });
});

it('more tries are given to a job as it was edited meanwhile, which is told as it is then', async () => {
  const tables = await withRow('jobs', jobRow(readyJob({ failures: 2 })));
  const { answer, writes } = await meanwhile(tables, edit('jobs', { id }), async (seen) => setRetries(seen, id, 3));
  expect([answer, writes]).toMatchObject([{ outcome: 'set', job: { triesLimit: 5, rev: 4 } }, 2]);
  expect(tables.rows('jobs')).toMatchObject([{ triesLimit: 5, rev: 4 }]);
});

it('a dead letter that was redriven and died again meanwhile is deleted as it is then', async () => {
  const dead = deadLetterRow({ ...sampleJob(), reason: 'failed', failedAt: NOON, fingerprint: 'f' });
  const tables = await withRow('deadLetters', dead);
  const put: Write = { op: 'put', table: 'deadLetters', row: { ...dead, rev: 9 } };
  const { answer, writes } = await meanwhile(tables, put, async (seen) => deleteJob(seen, id, { token: 't', now: NOON }, () => []));
  expect([answer, writes]).toMatchObject([{ outcome: 'deleted', dead: { rev: 9 } }, 2]);
});

it('an occurrence is not skipped whose lease is another’s by now; one that is, is kept in History', async () => {
  const held = readyJob({ lockOwner: 'run/mine', schedule: 's' });
  const tables = await withRow('jobs', jobRow(held));
  const skip = async (seen: Tables) => endAsSkipped(seen, held, { schedule: 'gone' }, { token: 't', now: NOON, historyDays: 3 });
  expect((await meanwhile(tables, claimed(), skip)).answer).toEqual({ result: 'lost' });
  expect([tables.rows('jobs').length, tables.rows('history').length]).toEqual([1, 0]);
  expect((await meanwhile(tables, claimed('run/mine'), skip)).answer).toEqual({ result: 'skipped' });
  expect(tables.rows('history')).toMatchObject([{ id, outcome: 'skipped' }]);
});

describe('a unique key', () => {
  const keyRow = (jobId: string) => uniqueKeyRow(uniqueKeyHash('invoice.send', undefined, 'k'), jobId, undefined);
  const key = uniqueKeyKey(uniqueKeyHash('invoice.send', undefined, 'k'));
  const fresh = { job: readyJob({ key: 'k' }), ready: true, ownId: false, token: 't' };

  it('of a job that lies nowhere is taken over, in a transaction of its own', async () => {
    const tables = createMemoryTables({ clock: new SettableClock(NOON) });
    await tables.write({ op: 'put', table: 'control', row: keyRow(other) });
    const transact = vi.spyOn(tables, 'transact');
    expect(await create(tables, fresh, NOON, {})).toEqual({ created: true });
    expect(new Set(transact.mock.calls.map(([, token]) => token)).size).toBe(2);
    expect((await tables.get('control', key))?.['jobId']).toBe(id);
  });

  it('is not taken over while the store does not say where its job lies, nor where that cannot be read', async () => {
    const faulty = faultyTables(await withRow('jobs', { ...jobRow(readyJob({ id: other })), priority: 'high' }));
    await faulty.tables.write({ op: 'put', table: 'control', row: keyRow(other) });
    expect(await create(faulty.tables, fresh, NOON, {})).toEqual({ created: false, id: other });
    faulty.unreadable(({ table }) => table === 'jobs');
    await expect(create(faulty.tables, fresh, NOON, {})).rejects.toThrow(StoreUnavailableError);
  });

  it('that is another job’s by now is not given back by a job that moves to another tenant', async () => {
    const tables = await withRow('jobs', jobRow(readyJob({ key: 'k' })));
    await tables.write({ op: 'put', table: 'control', row: keyRow(id) });
    const found = await locate(tables, id);
    if (found === undefined) throw new Error('no job');
    const { writes } = await planTenant(tables, found, 'acme', { ...terms, batch: async () => undefined, recode: async () => ({}) });
    await tables.write({ op: 'put', table: 'control', row: keyRow(other) });
    expect((await tables.transact(writes, 't')).applied).toBe(false);
    expect((await tables.get('control', key))?.['jobId']).toBe(other);
  });
});
