import { describe, expect, it } from 'vitest';
import { followUp } from '../../shared/job/follow-up.ts';
import { defineJob, type Verdict } from '../../shared/job/job-type.ts';
import { complete, fail, snooze } from '../../shared/job/verdict.ts';
import { type FaultyRig, faultyRig } from '../support/faulty-rig.ts';
import { type Aim, type Fault } from '../support/faulty-tables.ts';
import { anyPayload, type RigOptions } from '../support/rig.ts';

const work = defineJob('work', { payload: anyPayload, retry: 'R3/PT30S' });
const next = defineJob('next', { payload: anyPayload });
const REASON = { reason: 'not wanted', actor: 'anna' } as const;

/** The write that ends a run as cancelled: a delete that only demands the lease, on its own or in a transaction. */
const endsAsCancelled: Aim = (writes) =>
  writes.some((write) => write.op === 'delete' && write.table === 'jobs' && write.condition?.test === 'equals');

/** A transaction that ends a job without the follow-up that has a key. */
const endsWithoutKeyed: Aim = (writes) =>
  writes.some(({ op, table }) => op === 'delete' && table === 'jobs') &&
  writes.some(({ op, table }) => op === 'put' && table === 'jobs') &&
  !writes.some(({ op, table }) => op === 'put' && table === 'control');

/** A job that is cancelled while its handler runs; the reply to the write that ends it is lost. */
async function cancelledRun(
  given: {
    readonly verdict?: () => Verdict;
    readonly enqueue?: { readonly key?: string };
    readonly fault: Fault;
    readonly aim?: Aim;
    readonly meanwhile?: (rig: FaultyRig) => Promise<void>;
  } & Pick<RigOptions, 'history'>,
): Promise<{ readonly rig: FaultyRig; readonly id: string }> {
  let id = '';
  const handler = work.handle(async () => {
    expect(await rig.client.cancel(id, REASON)).toBe('cancel-requested');
    await given.meanwhile?.(rig);
    return given.verdict?.();
  });
  const rig: FaultyRig = faultyRig({ handlers: [handler], ...(given.history === undefined ? {} : { history: given.history }) });
  ({ id } = await rig.client.enqueue(work, {}, given.enqueue ?? {}));
  rig.faults.next(given.aim ?? endsAsCancelled, given.fault);
  await rig.until(rig.drain());
  expect(rig.faults.pending()).toBe(0);
  return { rig, id };
}

const BOTH = ['lost-reply', 'lost-for-good'] as const;
const withFollowUps = (): Verdict => complete({ enqueue: [followUp(next, { n: 1 })] });

describe('a run that was asked to stop and whose end the store takes without an answer', () => {
  it.each(
    BOTH.flatMap(
      (fault) =>
        [
          [`completes alone (${fault})`, { fault }],
          [`has a key (${fault})`, { fault, enqueue: { key: 'k' } }],
          [`completes with durable history (${fault})`, { fault, history: 'durable' }],
          [`completes with follow-ups (${fault})`, { fault, verdict: withFollowUps }],
          [`snoozes for a while (${fault})`, { fault, verdict: () => snooze('PT1M') }],
          [`snoozes for hours (${fault})`, { fault, verdict: () => snooze('PT5H') }],
          [`is refused (${fault})`, { fault, verdict: () => fail('no') }],
        ] as const,
    ),
  )('is told as cancelled, with the reason, when it %s', async (_name, given) => {
    const { rig, id } = await cancelledRun(given);
    expect([rig.journal.count('cancelled'), rig.journal.count('completed'), rig.journal.count('lost-lease')]).toEqual([1, 0, 0]);
    expect(await rig.client.get(id)).toMatchObject({
      outcome: 'cancelled',
      cancelReason: 'not wanted',
      cancelledBy: 'anna',
    });
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 0, deadLetters: 0 });
    expect(rig.journal.count('enqueued')).toBe(1);
    expect(rig.hints.receive({ worker: 'default', lane: 'default', kind: 'standard' }, 10)).toEqual([]);
  });

  it('is told as cancelled also when the key that ends with it has gone already', async () => {
    const aim: Aim = (writes) => endsAsCancelled(writes) && !writes.some(({ table }) => table === 'control');
    const loseKey = async (rig: FaultyRig): Promise<void> => {
      const [row] = await rig.rows('control');
      await rig.tables.write({ op: 'delete', table: 'control', key: { pk: String(row?.['pk']), sk: String(row?.['sk']) } });
    };
    const { rig } = await cancelledRun({ fault: 'lost-for-good', enqueue: { key: 'k' }, aim, meanwhile: loseKey });
    expect([rig.journal.count('cancelled'), rig.journal.count('lost-lease')]).toEqual([1, 0]);
  });
});

describe('a follow-up that is left out because its key is taken', () => {
  it.each(BOTH)('is not told as created when the reply to the rest of the completion is lost (%s)', async (fault) => {
    const rig: FaultyRig = faultyRig({
      handlers: [work.handle(() => complete({ enqueue: [followUp(next, { n: 1 }, { key: 'k' }), followUp(next, { n: 2 })] }))],
    });
    const { id: holder } = await rig.client.enqueue(next, { n: 0 }, { key: 'k', delay: 'PT1H' });
    const { id } = await rig.client.enqueue(work, {});
    rig.faults.next(endsWithoutKeyed, fault);
    await rig.until(rig.deliver());
    expect(rig.faults.pending()).toBe(0);
    const created = (await rig.rows('jobs')).map((row) => String(row['id']));
    expect(created).toHaveLength(1);
    const told = rig.journal.entries.flatMap(({ event, job }) => (event === 'enqueued' && job !== undefined ? [job.id] : []));
    expect(told.toSorted()).toEqual([holder, id, ...created].toSorted());
    expect(rig.journal.count('completed')).toBe(1);
    expect(await rig.client.get(id)).toMatchObject({ outcome: 'completed' });
  });
});
