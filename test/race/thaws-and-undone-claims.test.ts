import { describe, expect, it, vi } from 'vitest';
import { StoreRefusedError } from '../../shared/job/errors.ts';
import { defineJob, type JobHandler } from '../../shared/job/job-type.ts';
import { UNFENCED_WRITE_WINDOW_MS } from '../../shared/job/lease.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import type { Tables } from '../../shared/ports/tables.ts';
import { complete, noTries } from '../../shared/store/complete.ts';
import { SandboxEndedError } from '../../functions/executor/execute-messages.ts';
import { faultyRig, loseMessages, take } from '../support/faulty-rig.ts';
import { type Aim, aimAt, aimAtChangeOf } from '../support/faulty-tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { rigTables } from '../support/rig-tables.ts';
import { severedTables } from '../support/severed-tables.ts';

const MINUTE = 60_000;
const DEFAULT = { worker: 'default', lane: 'default', kind: 'standard' } as const;
const work = defineJob('work', { payload: anyPayload });
const claims: Aim = (writes) => writes.some((write) => write.op === 'update' && write.table === 'jobs' && 'starts' in (write.add ?? {}));

/** A batch put of which only the first row is written before the producer freezes; it thaws to learn that the rest was refused. */
function refusingAfterAFreeze(inner: Tables, freeze: () => Promise<void>): Tables {
  return {
    get: inner.get.bind(inner),
    write: inner.write.bind(inner),
    transact: inner.transact.bind(inner),
    query: inner.query.bind(inner),
    scan: inner.scan.bind(inner),
    putAll: async (table, rows, window) => {
      await inner.putAll(table, rows.slice(0, 1), window);
      if (table !== 'jobs') return inner.putAll(table, rows.slice(1), window);
      await freeze();
      throw new StoreRefusedError('putAll', new Error('the second batch was refused'));
    },
  };
}

describe('a process that thaws', () => {
  it.each([
    ['while its lease lives takes the deleted row for its own delete', 30_000, 'finished'],
    ['after its lease ended knows nothing of the deleted row', 90_000, 'lost'],
  ] as const)('%s', async (_title, passed, result) => {
    const rig = new Rig({ handlers: [work.handle(() => undefined)] });
    const { id } = await rig.client.enqueue(work, {});
    const job = await take(rig, id, MINUTE);
    await complete(rig.tables, job, { now: () => rig.clock.now() });
    await rig.clock.advance(passed);
    expect((await complete(rig.tables, job, { now: () => rig.clock.now(), tries: { ...noTries(), earlier: 1 } })).result).toBe(result);
  });

  it('in the middle of a bulk enqueue does not put a job again that has finished meanwhile', async () => {
    const clock = new SettableClock();
    const runs: string[] = [];
    let freeze = async (): Promise<void> => undefined;
    const tables = refusingAfterAFreeze(rigTables(clock), async () => freeze());
    const rig = new Rig({ clock, tables, handlers: [work.handle(({ job }) => void runs.push(job.id))] });
    freeze = async () => {
      for (let minute = 0; minute < 12; minute++) {
        await clock.advance(MINUTE);
        await rig.sweep();
        await rig.drain();
      }
    };
    const report = await rig.client.enqueueMany(work, [{ a: 1 }, { a: 2 }]);
    await rig.drain();
    expect(runs).toHaveLength(1);
    expect(report.failed.map(({ error }) => error.message)).toEqual([
      expect.stringContaining('did not answer'),
      expect.stringContaining('did not answer'),
    ]);
  });

  it('for a few seconds puts the jobs of a refused batch one by one within the window of the batch', async () => {
    const clock = new SettableClock();
    const rig = new Rig({ clock, tables: refusingAfterAFreeze(rigTables(clock), async () => clock.advance(5_000)) });
    const write = vi.spyOn(rig.tables, 'write');
    const notAfter = clock.now() + UNFENCED_WRITE_WINDOW_MS;
    await rig.client.enqueueMany(work, [{ a: 1 }, { a: 2 }]);
    expect(write.mock.calls.map(([, window]) => window?.notAfter)).toEqual([notAfter, notAfter]);
  });

  it('at once asks for each job of a refused batch by itself', async () => {
    const clock = new SettableClock();
    const tables = refusingAfterAFreeze(rigTables(clock), async () => undefined);
    const rig = new Rig({ clock, tables });
    expect(await rig.client.enqueueMany(work, [{ a: 1 }, { a: 2 }])).toMatchObject({ enqueued: 2, failed: [] });
    expect((await rig.counts()).jobs).toBe(2);
  });
});

describe('a store that does not answer is no crash', () => {
  /** A message that somebody received before, so that its job runs alone, where a lease that runs out would count. */
  async function suspected(run: JobHandler, handlers = [work.handle(run)]): Promise<ReturnType<typeof faultyRig>> {
    const rig = faultyRig({ handlers, settings: { crashLimit: 1 } });
    await rig.client.enqueue(work, {});
    rig.hints.receive(DEFAULT, 10);
    await rig.clock.advance(60 * MINUTE);
    return rig;
  }

  it('of a job whose outcome it did not take: it runs again', async () => {
    const run = vi.fn();
    const rig = await suspected(run);
    rig.faults.next(aimAt('delete', 'jobs'), 'unavailable', 3);
    await rig.until(rig.drain());
    expect(rig.faults.pending()).toBe(0);
    for (let minute = 0; minute < 10; minute++) {
      await rig.clock.advance(MINUTE);
      await rig.sweep();
      await rig.until(rig.drain());
    }
    expect(run).toHaveBeenCalledTimes(2);
    expect(await rig.counts()).toMatchObject({ jobs: 0, deadLetters: 0 });
  });

  it('of a job whose handler may still run: it waits for the end of its lease, and its message with it', async () => {
    const rig = faultyRig({ handlers: [work.handle(() => new Promise<never>(() => {}))] });
    const { id } = await rig.client.enqueue(work, {});
    const leaseEnd = rig.invocation().deadlineAt + rig.deployment.settings.leaseMarginMs;
    rig.faults.next(aimAtChangeOf('failures'), 'unavailable', 3);
    await expect(rig.until(rig.execute(rig.hints.receive(DEFAULT, 10)), 10_000)).rejects.toThrow(SandboxEndedError);
    expect(rig.faults.pending()).toBe(0);
    expect(await rig.client.get(id)).toMatchObject({ state: 'ready', dueAt: new Date(leaseEnd) });
    const visibleAt = rig.hints.nextVisibleAt() ?? 0;
    expect(visibleAt).toBeGreaterThanOrEqual(leaseEnd);
    await rig.clock.advance(visibleAt - rig.clock.now());
    void rig.execute(rig.hints.receive(DEFAULT, 10)).catch(() => {});
    await rig.settle();
    expect(rig.journal.count('started')).toBe(2);
  });

  it('of a job of an unknown type that it did not suspend', async () => {
    const rig = await suspected(() => undefined, []);
    rig.faults.next(aimAt('put', 'suspended'), 'unavailable');
    await rig.until(rig.drain());
    expect(rig.faults.pending()).toBe(0);
    for (let minute = 0; minute < 10; minute++) {
      await rig.clock.advance(MINUTE);
      await rig.until(rig.drain());
    }
    expect(await rig.counts()).toMatchObject({ suspended: 1, deadLetters: 0 });
  });

  it('and a claim that was undone after a crash still waits to run alone', async () => {
    const rig = faultyRig({ handlers: [work.handle(() => undefined)] });
    const { id } = await rig.client.enqueue(work, {});
    loseMessages(rig);
    await take(rig, id);
    await rig.clock.advance(2 * MINUTE);
    await rig.sweep();
    rig.faults.next(claims, 'lost-for-good', 2);
    await rig.deliver();
    expect(rig.faults.pending()).toBe(0);
    expect(String((await rig.rows('jobs'))[0]?.['lockOwner'])).toMatch(/^queue\/0\/alone\//);
  });
});

it('a job that kills its process is taken over with its crashes, and buried at the limit', async () => {
  const run = vi.fn();
  const rig = new Rig({ settings: { crashLimit: 2 } });
  const { id } = await rig.client.enqueue(work, {});
  for (let process = 0; process < 4; process++) {
    const severed = severedTables(rig.tables);
    const handled = work.handle(() => {
      run();
      severed.die();
      return new Promise<never>(() => {});
    });
    const deps = { ...rig.deps, tables: severed.tables, handlers: new Map([['work', handled]]) };
    void rig.execute(rig.hints.receive(DEFAULT, 10), deps);
    await rig.settle();
    await rig.clock.advance(60 * MINUTE);
  }
  // The first crash counts against nobody: the job was not alone.
  expect(run).toHaveBeenCalledTimes(3);
  expect(await rig.client.get(id)).toMatchObject({ state: 'dead', reason: 'crash-loop' });
});

it('a completion that leaves out a key that is another job’s is still its own when the reply is lost', async () => {
  const rig = faultyRig({ handlers: [work.handle(() => undefined)] });
  await rig.client.enqueue(work, {}, { key: 'k' });
  const key = (await rig.rows('control')).find(({ pk }) => String(pk).startsWith('key#'));
  await rig.tables.write({ op: 'put', table: 'control', row: { ...key, pk: String(key?.['pk']), jobId: 'another' } });
  const alone: Aim = (writes) => writes.length === 1 && writes[0]?.op === 'delete' && writes[0].table === 'jobs';
  rig.faults.next(alone, 'lost-for-good');
  await rig.until(rig.deliver());
  expect(rig.faults.pending()).toBe(0);
  expect([rig.journal.count('completed'), rig.journal.count('lost-lease')]).toEqual([1, 0]);
});
