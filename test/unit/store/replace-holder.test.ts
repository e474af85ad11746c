import { describe, expect, it } from 'vitest';
import { defineJob } from '../../../shared/job/job-type.ts';
import type { LeasedJob, SuspendedJob } from '../../../shared/job/job.ts';
import type { Tables, Write } from '../../../shared/ports/tables.ts';
import { type Living, locate } from '../../../shared/store/locate.ts';
import { type Challenger, replaceHolder } from '../../../shared/store/replace-holder.ts';
import { suspendedRow } from '../../../shared/store/rows.ts';
import { CHANGED } from '../../../shared/store/until-unchanged.ts';
import { take } from '../../support/faulty-rig.ts';
import { anyPayload, Rig } from '../../support/rig.ts';

const MINUTE = 60_000;
const work = defineJob('work', { payload: anyPayload });

interface Asked {
  readonly writes: readonly Write[];
  readonly token: string;
}

async function stage() {
  const rig = new Rig();
  const { id } = await rig.client.enqueue(work, { n: 1 }, { key: 'k' });
  const other = await rig.client.enqueue(work, { n: 2 }, { key: 'other' });
  const [ready, fresh] = await Promise.all([id, other.id].map(async (one) => (await locate(rig.tables, one)) as Living));
  const asked: Asked[] = [];
  const tables: Tables = {
    ...rig.tables,
    transact: async (writes, token) => {
      asked.push({ writes, token });
      return { applied: true, attempts: 1 };
    },
  };
  const challenger: Challenger = {
    job: (fresh as Living).job,
    token: 'mine',
    conflict: { mode: 'keep-latest', redispatchAfterMs: 2 * MINUTE, delayHorizonMs: 15 * MINUTE },
    put: { op: 'put', table: 'jobs', row: { id: 'new' } },
    key: { op: 'put', table: 'control', row: { pk: 'key#k', sk: 'key' } },
  };
  const now = rig.clock.now();
  const replace = async (holder: Living, more: Partial<Challenger> = {}) => {
    const outcome = await replaceHolder(tables, holder, { ...challenger, ...more }, { now, window: {} });
    return { outcome, ...(asked.at(-1) as Asked) };
  };
  return { rig, id, now, ready: ready as Living & { readonly state: 'ready' }, fresh: (fresh as Living).job, challenger, replace };
}

const withJob = <Found extends Living>(holder: Found, more: Partial<LeasedJob>): Found => ({ ...holder, job: { ...holder.job, ...more } });

describe('the transaction that gives a key to a new job', () => {
  async function running() {
    const world = await stage();
    const job = await take(world.rig, world.id);
    return { ...world, holder: { ...world.ready, state: 'running', job } as Living };
  }

  it('demands the same run, and that the key is still its own', async () => {
    const { replace, holder, id, challenger } = await running();
    const { writes } = await replace(holder);
    const { lockOwner } = holder.job as LeasedJob;
    const same = { test: 'equals', attribute: 'lockOwner', value: lockOwner };
    expect(writes).toEqual([
      challenger.put,
      { ...challenger.key, condition: { test: 'equals', attribute: 'jobId', value: id } },
      { op: 'check', table: 'jobs', key: { id }, condition: same },
    ]);
    const conflict = { ...challenger.conflict, mode: 'replace' } as const;
    const [, , stopped] = (await replace(holder, { conflict })).writes;
    expect(stopped).toMatchObject({ op: 'update', condition: same, set: { cancelRequested: true }, add: { rev: 1 } });
  });

  it('asks no job to stop twice, nor the handler that enqueues', async () => {
    const { replace, holder, id, challenger } = await running();
    const conflict = { ...challenger.conflict, mode: 'replace' } as const;
    const asked = withJob(holder, { cancelRequested: true });
    expect((await replace(asked, { conflict })).writes[2]).toMatchObject({ op: 'check' });
    expect((await replace(holder, { conflict: { ...conflict, handlerOf: id } })).writes[2]).toMatchObject({ op: 'check' });
    expect((await replace(holder, { conflict: { ...conflict, handlerOf: 'another' } })).writes[2]).toMatchObject({ op: 'update' });
  });

  it('has a token of its own for each enqueue, new job and run, and the same for the same', async () => {
    const { replace, holder, fresh } = await running();
    const { token } = await replace(holder);
    expect((await replace(holder)).token).toBe(token);
    expect((await replace(holder, { token: 'another' })).token).not.toBe(token);
    expect((await replace(holder, { job: { ...fresh, id: 'another' } })).token).not.toBe(token);
    expect((await replace(withJob(holder, { lockOwner: 'run/another' }))).token).not.toBe(token);
  });
});

describe('the transaction that replaces a job that waits', () => {
  it('has a token of its own for each enqueue, job and revision, and the same for the same', async () => {
    const { replace, ready } = await stage();
    const { token } = await replace(ready);
    expect((await replace(ready)).token).toBe(token);
    expect((await replace(ready, { token: 'another' })).token).not.toBe(token);
    expect((await replace(withJob(ready, { id: 'another' }))).token).not.toBe(token);
    expect((await replace(withJob(ready, { rev: 7 }))).token).not.toBe(token);
  });

  it('keeps the message of a ready job that is not due sooner, and leases it for long enough', async () => {
    const { replace, ready, fresh, now } = await stage();
    const seen = { ...ready.job, lockExpiresAt: now + 6 * MINUTE };
    const put = async (dueAt: number, lockExpiresAt = seen.lockExpiresAt) =>
      (await replace(withJob(ready, { ...seen, lockExpiresAt }), { job: { ...fresh, dueAt } })).writes;
    const iso = (ms: number): string => new Date(ms).toISOString();
    const unchanged = {
      test: 'all',
      of: [
        { test: 'beginsWith', attribute: 'lockOwner', value: 'queue/' },
        { test: 'equals', attribute: 'rev', value: ready.job.rev },
      ],
    };
    expect(await put(now)).toMatchObject([
      {
        op: 'put',
        table: 'jobs',
        row: { lockOwner: seen.lockOwner, lockExpiresAt: iso(now + 6 * MINUTE), dispatches: 1 },
        condition: unchanged,
      },
    ]);
    expect(await put(now + 10 * MINUTE)).toMatchObject([{ row: { lockExpiresAt: iso(now + 12 * MINUTE), dispatches: 1 } }]);
    expect(await put(now, now)).toMatchObject([{ row: { lockExpiresAt: iso(now) } }]);
    expect(await put(now + 15 * MINUTE)).toMatchObject([{ table: 'jobs' }]);
    expect((await put(now + 15 * MINUTE + 1)).map(({ op, table }) => `${op} ${table}`)).toEqual([
      'delete jobs',
      'put timers',
      'put control',
    ]);
  });

  it.each([{ lane: 'urgent' }, { group: 'a' }, { worker: 'mail' }])(
    'sends a ready job anew that belongs to another queue: %o',
    async (more) => {
      const { replace, ready, fresh } = await stage();
      const { outcome } = await replace(ready, { job: { ...fresh, ...more } });
      expect(outcome).toMatchObject({ outcome: 'replaced', ready: { dispatches: 2, ...more } });
      const label = await replace(ready, { job: { ...fresh, group: 'a', exclusive: false } });
      expect(label.outcome).not.toHaveProperty('ready');
    },
  );

  it('sends a ready job anew that is due sooner, with a lease of its own', async () => {
    const { replace, ready, fresh, now } = await stage();
    const later = withJob(ready, { dueAt: now + 10 * MINUTE });
    const { outcome, writes } = await replace(later, { job: { ...fresh, dueAt: now + MINUTE } });
    expect(outcome).toMatchObject({ outcome: 'replaced', ready: { dispatches: 2 } });
    expect(writes).toMatchObject([
      { row: { dispatches: 2, lockOwner: 'queue/0/mine', lockExpiresAt: new Date(now + 3 * MINUTE).toISOString() } },
    ]);
  });

  it('writes over a suspended job only as it was seen, and raises its revision', async () => {
    const { replace, id, now, ready } = await stage();
    const { lockOwner: _owner, lockExpiresAt: _expiry, ...job } = ready.job;
    const suspended: SuspendedJob = { ...job, rev: 4, cause: 'breakpoint', suspendedAt: now, from: 'jobs', reason: 'audit' };
    const { writes } = await replace({ state: 'suspended', table: 'suspended', key: { id }, job: suspended });
    const row = suspendedRow({ ...suspended, payload: '{"n":2}', key: 'other', rev: 5 });
    expect(writes).toEqual([{ op: 'put', table: 'suspended', row, condition: { test: 'equals', attribute: 'rev', value: 4 } }]);
  });

  it('leaves nothing of the job that a suspended one was, but why it is suspended', async () => {
    const { replace, id, now, ready, fresh } = await stage();
    const { lockOwner: _owner, lockExpiresAt: _expiry, ...job } = ready.job;
    const suspension = { cause: 'type#work', suspendedAt: now, from: 'timers', tryAt: now + MINUTE, tries: 3 } as const;
    const said = {
      startBy: now,
      correlationId: 'c',
      retry: 'R9/PT1M',
      error: { name: 'E', message: 'm', at: now },
      state: '{}',
      failures: 2,
    };
    const { writes } = await replace({
      state: 'suspended',
      table: 'suspended',
      key: { id },
      job: { ...job, ...said, rev: 4, ...suspension },
    });
    const { lockOwner: _freshOwner, lockExpiresAt: _freshExpiry, ...plain } = fresh as LeasedJob;
    const row = suspendedRow({ ...plain, id: job.id, createdAt: job.createdAt, rev: 5, ...suspension });
    expect(writes).toEqual([{ op: 'put', table: 'suspended', row, condition: { test: 'equals', attribute: 'rev', value: 4 } }]);
  });

  it('leaves an occurrence alone, and says that the holder changed when the store refuses', async () => {
    const { rig, challenger, ready } = await stage();
    const occurrence = withJob(ready, { schedule: 's' });
    const terms = { now: rig.clock.now(), window: {} };
    expect(await replaceHolder(rig.tables, occurrence, challenger, terms)).toEqual({ outcome: 'kept' });
    expect(await replaceHolder(rig.tables, withJob(ready, { rev: 9 }), challenger, terms)).toBe(CHANGED);
  });
});
