import { afterEach, describe, expect, it } from 'vitest';
import { LeaseLostError, StoreRefusedError, StoreUnavailableError } from '../../../shared/job/errors.ts';
import { decodeHint } from '../../../shared/job/hint.ts';
import { iso } from '../../../shared/job/instant.ts';
import { defineJob } from '../../../shared/job/job-type.ts';
import { executorOwner } from '../../../shared/job/lock-owner.ts';
import { createMemoryHintSource } from '../../../shared/adapters/memory/hint-source.ts';
import { slotKey } from '../../../shared/features/limits/store/slot-rows.ts';
import { idKey } from '../../../shared/store/rows.ts';
import type { HeldLock } from '../../../functions/executor/receive.ts';
import { slotHold } from '../../../functions/executor/gates/limits.ts';
import { Heartbeat } from '../../../functions/worker/lease-heartbeat.ts';
import { faultyRig, take } from '../../support/faulty-rig.ts';
import { aimAt, aimAtChangeOf } from '../../support/faulty-tables.ts';
import { anyPayload } from '../../support/rig.ts';

const SECOND = 1_000;
const LEASE = 60_000;
const MARGIN = 15_000;
const LAST_MOMENT = 3_000;
const work = defineJob('work', { payload: anyPayload });
const renewals = aimAtChangeOf('lockExpiresAt');
const ends: (() => void)[] = [];

afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** The heartbeat of a job that was claimed just now, or `lateMs` ago. */
async function beating({
  lockMs,
  withSlot = false,
  lateMs = 0,
  graceMs = 5_000,
}: { lockMs?: number; withSlot?: boolean; lateMs?: number; graceMs?: number } = {}) {
  const rig = faultyRig({ settings: { leaseMarginMs: MARGIN, abortGraceMs: graceMs } });
  const { id } = await rig.client.enqueue(work, {});
  const job = await take(rig, id, LEASE, false);
  const [message] = rig.hints.receive({ worker: 'default', lane: 'default', kind: 'standard' }, 1);
  if (message === undefined) throw new Error('no message');
  const begun = rig.clock.now();
  const lock: HeldLock | undefined =
    lockMs === undefined ? undefined : { groupHash: 'g', owner: executorOwner('mine', false), until: begun + lockMs };
  const holds = withSlot ? [slotHold({ limit: { hash: 'h', name: 'l', n: 1 }, index: 0, until: begun + LEASE })] : [];
  await rig.clock.advance(lateMs);
  const seen = { tooLate: [] as number[] };
  const terms = {
    deps: rig.deps,
    source: createMemoryHintSource(rig.hints, rig.clock),
    leaseMs: LEASE,
    stopping: new AbortController().signal,
    tooLate: () => void seen.tooLate.push(rig.clock.now() - begun),
  };
  const delivery = { message, hint: decodeHint(message.body), alone: false, ...(lock === undefined ? {} : { lock }) };
  const heartbeat = new Heartbeat(terms, { delivery, job, holds });
  ends.push(() => void heartbeat.end(false));
  const at = async (ms: number): Promise<void> => {
    while (rig.clock.now() - begun < ms) {
      await rig.settle();
      await rig.clock.advance(Math.min(SECOND, begun + ms - rig.clock.now()));
    }
    await rig.settle();
  };
  const row = async () => rig.tables.get('jobs', idKey(id));
  const lose = async (): Promise<unknown> =>
    rig.tables.write({ op: 'update', table: 'jobs', key: idKey(id), set: { lockOwner: executorOwner('other', false) } });
  return { rig, heartbeat, seen, at, row, lose, begun, job };
}

describe('a run whose lease is kept', () => {
  it('is handed back with the lease that it has by then', async () => {
    const { heartbeat, at, row, begun } = await beating();
    await at(21 * SECOND);
    const { job, lost } = await heartbeat.end(false);
    expect(lost).toBe(false);
    expect(job.lockExpiresAt).toBe(begun + 20 * SECOND + LEASE);
    expect(await row()).toMatchObject({ lockExpiresAt: iso(job.lockExpiresAt), rev: job.rev });
  });

  it('has its message hidden for the new lease, and a while beyond', async () => {
    const { rig, at } = await beating();
    const hidden: number[] = [];
    rig.hints.postpone = async (_, ms) => void hidden.push(ms);
    await at(41 * SECOND);
    expect(hidden).toEqual([LEASE + 30 * SECOND, LEASE + 30 * SECOND]);
  });

  it('is renewed in time however long the queue takes to hide its message, which is asked once at a time, and its end does not wait', async () => {
    const { rig, heartbeat, at, row, begun } = await beating();
    const answers: (() => void)[] = [];
    rig.hints.postpone = async () => new Promise<void>((resolve) => void answers.push(resolve));
    await at(61 * SECOND);
    expect(await row()).toMatchObject({ lockExpiresAt: iso(begun + 60 * SECOND + LEASE) });
    expect(answers).toHaveLength(1);
    answers[0]?.();
    await at(81 * SECOND);
    expect(answers).toHaveLength(2);
    expect(heartbeat.interrupt.aborted).toBe(false);
    expect(await heartbeat.end(false)).toMatchObject({ lost: false });
  });

  it('is interrupted at the next renewal when the lease is another’s, and told as lost', async () => {
    const { heartbeat, at, lose } = await beating();
    await lose();
    await at(21 * SECOND);
    expect(heartbeat.interrupt.reason).toBeInstanceOf(LeaseLostError);
    expect(await heartbeat.end(false)).toMatchObject({ lost: true });
  });

  it('is interrupted when a slot of its limits is another’s, and its row is leased no longer', async () => {
    const { rig, heartbeat, at, row, begun } = await beating({ withSlot: true });
    const other = { ...slotKey('h', 0), limit: 'l', lockOwner: 'job/other', lockExpiresAt: iso(begun + 2 * LEASE), claim: 'run/other' };
    await rig.tables.write({ op: 'put', table: 'control', row: other });
    await at(21 * SECOND);
    expect(heartbeat.interrupt.aborted).toBe(true);
    expect(await row()).toMatchObject({ lockExpiresAt: iso(begun + LEASE) });
  });

  it('is interrupted the margin before the lock of its group ends, if that ends first', async () => {
    const { rig, heartbeat, at } = await beating({ lockMs: MARGIN + 5 * SECOND });
    rig.faults.next(aimAt('put', 'control'), 'unavailable', 100);
    await at(4 * SECOND);
    expect(heartbeat.interrupt.aborted).toBe(false);
    await at(6 * SECOND);
    expect(heartbeat.interrupt.aborted).toBe(true);
  });

  it('is renewed more often while the store does not take it, each time journalled', async () => {
    const { rig, heartbeat, at } = await beating();
    rig.faults.next(renewals, 'unavailable', 3);
    await at(36 * SECOND);
    expect(rig.journal.count('store-failed')).toBe(3);
    expect(rig.faults.pending()).toBe(0);
    expect(heartbeat.interrupt.aborted).toBe(false);
  });

  it('tells at once when the store refuses the renewal, which needs an operator', async () => {
    const { rig, at } = await beating();
    let flushes = 0;
    rig.journal.flush = () => void flushes++;
    const write = rig.tables.write.bind(rig.tables);
    rig.tables.write = async (...args) => {
      if (renewals([args[0]])) throw new StoreRefusedError('renew', new Error('access denied'));
      return write(...args);
    };
    await at(21 * SECOND);
    expect(flushes).toBe(1);
  });

  it('counts its lease from when the renewal was asked for, however long the answer took', async () => {
    const { rig, heartbeat, at } = await beating();
    const write = rig.tables.write.bind(rig.tables);
    let asked = 0;
    rig.tables.write = async (...args) => {
      if (!renewals([args[0]])) return write(...args);
      if (++asked > 1) throw new StoreUnavailableError('renew', new Error('throttled'));
      await rig.clock.advance(10 * SECOND);
      return write(...args);
    };
    await at(20 * SECOND + LEASE - MARGIN + SECOND);
    expect(heartbeat.interrupt.aborted).toBe(true);
  });

  it('is interrupted in time although a renewal hangs, and its end waits for that', async () => {
    const { rig, heartbeat, at } = await beating();
    const write = rig.tables.write.bind(rig.tables);
    let answer = (): void => {};
    rig.tables.write = async (...args) => {
      if (renewals([args[0]])) await new Promise<void>((resolve) => (answer = resolve));
      return write(...args);
    };
    await at(LEASE - MARGIN + SECOND);
    expect(heartbeat.interrupt.aborted).toBe(true);
    let ended = false;
    const end = heartbeat.end(false).then(() => (ended = true));
    await rig.settle();
    expect(ended).toBe(false);
    answer();
    await end;
  });
});

describe('a handler that does not heed its interruption', () => {
  it('takes its process with it before another may run its job, once', async () => {
    const { seen, at, lose } = await beating();
    await lose();
    await at(2 * LEASE);
    expect(seen.tooLate).toEqual([20 * SECOND + MARGIN - LAST_MOMENT]);
  });

  it('takes its process with it shortly before the lease ends that could not be renewed', async () => {
    const { rig, heartbeat, seen, at } = await beating();
    rig.faults.next(renewals, 'unavailable', 100);
    await at(LEASE - MARGIN + SECOND);
    await heartbeat.end(true);
    await at(2 * LEASE);
    expect(seen.tooLate).toEqual([LEASE - LAST_MOMENT]);
  });

  it('is given a moment even when the process was frozen beyond its lease', async () => {
    const { seen, at } = await beating({ lateMs: 2 * LEASE });
    expect(seen.tooLate).toEqual([]);
    await at(2 * LEASE + 10 * SECOND);
    expect(seen.tooLate).toEqual([2 * LEASE + 5 * SECOND]);
  });

  it('is given no more than the margin even where handlers are given long', async () => {
    const { seen, at } = await beating({ lateMs: 2 * LEASE, graceMs: 30 * SECOND });
    await at(2 * LEASE + 40 * SECOND);
    expect(seen.tooLate).toEqual([2 * LEASE + MARGIN - LAST_MOMENT]);
  });
});
