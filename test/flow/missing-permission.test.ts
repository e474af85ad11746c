import { describe, expect, it, vi } from 'vitest';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import { StoreRefusedError } from '../../shared/job/errors.ts';
import { defineJob, type JobHandler } from '../../shared/job/job-type.ts';
import { complete, followUp, snooze } from '../../shared/index.ts';
import type { TableName, Tables, Write } from '../../shared/ports/tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { rigTables } from '../support/rig-tables.ts';

const work = defineJob('work', { payload: anyPayload, retry: 'R3/PT1H' });
const durable = defineJob('work.durable', { payload: anyPayload, history: 'durable' });
const next = defineJob('next', { payload: anyPayload });
const MINUTE = 60_000;

/** A deployment whose role lost its permission for a table, until it is granted again. Everything that writes to the table is refused. */
function withoutPermission(table: TableName, handler: JobHandler) {
  const clock = new SettableClock();
  const tables = rigTables(clock);
  let granted = false;
  const denied = (writes: readonly Write[]): void => {
    if (granted || !writes.some((write) => write.table === table)) return;
    const why = `User: arn:aws:sts::1:assumed-role/executor is not authorized to perform: dynamodb:PutItem on resource: table/${table}`;
    throw new StoreRefusedError('transact', Object.assign(new Error(why), { name: 'AccessDeniedException' }), { invalid: false });
  };
  const { transact, write } = { transact: tables.transact.bind(tables), write: tables.write.bind(tables) };
  const guarded: Pick<Tables, 'transact' | 'write'> = {
    transact: async (writes, ...rest) => (denied(writes), transact(writes, ...rest)),
    write: async (one, window) => (denied([one]), write(one, window)),
  };
  Object.assign(tables, guarded);
  const handlers = [work.handle(handler), durable.handle(handler), next.handle(async () => undefined)];
  return { rig: new Rig({ clock, tables, handlers }), grant: () => void (granted = true) };
}

/** What a handler ends with, which table that needs, and what its job becomes once the permission is there. */
interface Refused {
  readonly what: string;
  readonly table: TableName;
  readonly type: typeof work;
  readonly becomes: 'waiting' | 'finished';
  readonly ends: () => unknown;
}

/** An hour of executors, ticks and sweeps. */
async function anHour(rig: Rig): Promise<void> {
  for (let minute = 0; minute < 60; minute++) {
    await rig.drain();
    await rig.clock.advance(MINUTE);
    await rig.sweep();
    await rig.fire();
  }
  await rig.drain();
}

describe('a permission that is missing', () => {
  it.each<Refused>([
    { what: 'a retry that comes late', table: 'timers', type: work, becomes: 'waiting', ends: () => Promise.reject(new Error('busy')) },
    { what: 'a snooze', table: 'timers', type: work, becomes: 'waiting', ends: () => snooze('PT1H') },
    { what: 'a durable completion', table: 'history', type: durable, becomes: 'finished', ends: () => undefined },
    {
      what: 'a follow-up',
      table: 'timers',
      type: work,
      becomes: 'finished',
      ends: () => complete({ enqueue: [followUp(next, {}, { delay: 'PT1H' })] }),
    },
  ])('buries no job, and is no attempt and no crash: $what', async ({ table, type, becomes, ends }) => {
    const handler = vi.fn(ends) as unknown as JobHandler;
    const { rig, grant } = withoutPermission(table, handler);
    const { id } = await rig.client.enqueue(type, {});
    await anHour(rig);
    expect(await rig.rows('jobs')).toEqual([expect.objectContaining({ id, failures: 0, crashes: 0 })]);
    expect(vi.mocked(handler).mock.calls.length).toBeGreaterThan(1);
    const failed = rig.journal.entries.filter(({ event }) => event === 'store-failed');
    expect(JSON.stringify(failed[0])).toContain(`dynamodb:PutItem on resource: table/${table}`);
    grant();
    await rig.clock.advance(2 * MINUTE);
    await rig.drain();
    expect((await rig.client.get(id))?.state).toBe(becomes);
  });

  it('lets the same job start again later each time, at most once a minute in the end', async () => {
    const handler = vi.fn(() => undefined);
    const { rig } = withoutPermission('history', handler);
    await rig.client.enqueue(durable, {});
    await anHour(rig);
    const before = handler.mock.calls.length;
    await anHour(rig);
    expect(handler.mock.calls.length - before).toBeLessThanOrEqual(62);
  });
});

describe('the error of a missing permission', () => {
  it('says what is not allowed; that of an invalid request does not repeat it', () => {
    const cause = Object.assign(new Error('not authorized to perform: dynamodb:PutItem'), { name: 'AccessDeniedException' });
    expect(new StoreRefusedError('write', cause, { invalid: false }).message).toBe(
      'write: the store refused the request (AccessDeniedException): not authorized to perform: dynamodb:PutItem.',
    );
    expect(new StoreRefusedError('write', cause).message).toBe('write: the store refused the request (AccessDeniedException).');
  });
});
