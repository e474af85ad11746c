import { describe, expect, it, vi } from 'vitest';
import { JobCancelledError, LeaseLostError, RetryAfterError } from '../../shared/job/errors.ts';
import { hintFor } from '../../shared/job/hint.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { decodeLeasedJob } from '../../shared/store/job-codec.ts';
import { idKey } from '../../shared/store/rows.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const MINUTE = 60_000;
const DEFAULT = { worker: 'default', lane: 'default', kind: 'standard' } as const;
const work = defineJob('work', { payload: anyPayload });

describe('cancel', () => {
  it('ends a waiting and a ready job, and History says so', async () => {
    const rig = new Rig();
    const [ready, waiting] = [await rig.client.enqueue(work, {}), await rig.client.enqueue(work, {}, { delay: 'PT1H' })];
    for (const { id } of [ready, waiting]) {
      expect(await rig.client.cancel(id)).toBe('cancelled');
      expect(await rig.client.get(id)).toMatchObject({ state: 'finished', outcome: 'cancelled' });
      expect(await rig.client.cancel(id)).toBe('finished');
    }
    expect(await rig.client.cancel(rig.client.newId())).toBe('not-found');
  });

  it('of a running job fires its AbortSignal at the next look, and the run ends as cancelled instead of being retried', async () => {
    let reason: unknown;
    const rig = new Rig({
      handlers: [
        work.handle(
          ({ signal }) =>
            new Promise((_, reject) =>
              signal.addEventListener('abort', () => {
                reason = signal.reason;
                reject(new Error('stopped'));
              }),
            ),
        ),
      ],
    });
    const { id } = await rig.client.enqueue(work, {});
    const batch = rig.execute(rig.hints.receive(DEFAULT, 10));
    await rig.settle();
    expect(await rig.client.cancel(id)).toBe('cancel-requested');
    await rig.clock.advance(5_000);
    await rig.settle();
    await batch;
    expect(reason).toBeInstanceOf(JobCancelledError);
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', outcome: 'cancelled' });
  });
});

it('a handler whose lease was lost is told so, and not that its job was cancelled', async () => {
  let reason: unknown;
  const rig = new Rig({
    handlers: [
      work.handle(({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(void (reason = signal.reason))))),
    ],
  });
  const { id } = await rig.client.enqueue(work, {});
  const batch = rig.execute(rig.hints.receive(DEFAULT, 10));
  await rig.settle();
  await rig.tables.write({ op: 'update', table: 'jobs', key: { id }, set: { lockOwner: 'run/other' }, add: { rev: 1 } });
  await rig.clock.advance(5_000);
  await rig.settle();
  await batch;
  expect(reason).toBeInstanceOf(LeaseLostError);
  expect(rig.journal.count('lost-lease')).toBe(1);
});

describe('reschedule', () => {
  it('moves a timer nearer, further and into the queue, each with its event, and it is still found by its id', async () => {
    const run = vi.fn();
    const rig = new Rig({ handlers: [work.handle(run)] });
    const { id } = await rig.client.enqueue(work, {}, { delay: 'PT10H' });
    expect(await rig.client.reschedule(id, { delay: 'PT20H' })).toBe('rescheduled');
    expect(await rig.client.get(id)).toMatchObject({ state: 'waiting', dueAt: new Date(rig.clock.now() + 20 * 60 * MINUTE) });
    expect(await rig.client.reschedule(id, { delay: 'PT1H' })).toBe('rescheduled');
    expect((await rig.counts()).timers).toBe(1);
    expect(await rig.client.reschedule(id, { delay: 'PT5M' })).toBe('rescheduled');
    expect(await rig.client.get(id)).toMatchObject({ state: 'ready' });
    expect(await rig.client.reschedule(id, { delay: 'PT1H' })).toBe('rescheduled');
    expect(await rig.client.get(id)).toMatchObject({ state: 'waiting' });
    expect(await rig.client.reschedule(id, { runAt: rig.clock.now() })).toBe('rescheduled');
    expect(rig.journal.count('rescheduled')).toBe(5);
    await rig.drain();
    expect(run).toHaveBeenCalledTimes(1);
    expect(await rig.client.reschedule(id, { delay: 'PT1H' })).toBe('finished');
  });
});

describe('what a handler meets', () => {
  it('RetryAfterError chooses the delay and counts as a failure', async () => {
    const rig = new Rig({
      handlers: [
        work.handle(() => {
          throw new RetryAfterError('busy', 90_000);
        }),
      ],
    });
    const { id } = await rig.client.enqueue(work, {});
    await rig.drain();
    const row = decodeLeasedJob((await rig.tables.get('jobs', idKey(id))) ?? {});
    expect(row).toMatchObject({ failures: 1, dueAt: rig.clock.now() + 90_000 });
    expect(hintFor(row, rig.clock.now()).delayMs).toBe(90_000);
  });

  it('optimistic-lock conflicts are retried without counting', async () => {
    let runs = 0;
    const conflict = Object.assign(new Error('lost'), { name: 'ConditionalCheckFailedException' });
    const rig = new Rig({
      handlers: [
        work.handle(() => {
          if (++runs < 6) throw conflict;
        }),
      ],
    });
    const { id } = await rig.client.enqueue(work, {});
    for (let round = 0; round < 12; round++) {
      await rig.drain();
      await rig.clock.advance(64_000);
    }
    expect(runs).toBe(6);
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', failures: 0 });
  });

  it('a payload that its schema refuses is a dead letter, and a job of an unknown type waits without losing anything', async () => {
    const strict = defineJob('strict', {
      payload: {
        '~standard': {
          version: 1,
          vendor: 'test',
          validate: (value) => ((value as { ok?: boolean }).ok ? { value } : { issues: [{ message: 'not ok', path: ['ok'] }] }),
        },
      },
    });
    const rig = new Rig({ handlers: [strict.handle(() => undefined)] });
    await expect(rig.client.enqueue(strict, {})).rejects.toThrow(/ok: not ok/);
    const { id } = await rig.client.enqueue(strict, { ok: true });
    await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(id), set: { payload: '{"ok":false}' } });
    const unknown = await rig.client.enqueue(work, {});
    await rig.drain();
    expect(await rig.client.get(id)).toMatchObject({ state: 'dead', reason: 'non-retryable' });
    expect(await rig.client.get(unknown.id)).toMatchObject({ state: 'suspended', failures: 0 });
    const late = { ...rig.deps, handlers: new Map([['work', work.handle(() => undefined)]]) };
    await rig.clock.advance(MINUTE);
    await rig.sweep();
    await rig.execute(rig.hints.receive(DEFAULT, 10), late);
    expect(await rig.client.get(unknown.id)).toMatchObject({ state: 'finished' });
  });

  it('middleware wraps each attempt in order and is always unwound', async () => {
    const steps: string[] = [];
    const layer =
      (name: string) =>
      async (_job: unknown, next: () => Promise<unknown>): Promise<unknown> => {
        steps.push(`${name} in`);
        try {
          return await next();
        } finally {
          steps.push(`${name} out`);
        }
      };
    const rig = new Rig({
      around: [layer('a'), layer('b')],
      handlers: [
        work.handle(() => {
          steps.push('run');
          throw new Error('x');
        }),
      ],
    });
    await rig.client.enqueue(work, {}, { retry: 'never' });
    await rig.drain();
    expect(steps).toEqual(['a in', 'b in', 'run', 'b out', 'a out']);
  });

  it('a chain of jobs that enqueue jobs carries its depth, correlation and tenant, and ends at its limit', async () => {
    const rig: Rig = new Rig({
      settings: { chainLimit: 3 },
      handlers: [work.handle(async () => void (await rig.client.enqueue(work, {})))],
    });
    await rig.client.enqueue(work, {}, { tenant: 'acme', correlationId: 'c1' });
    await rig.drain();
    const [dead] = await rig.rows('deadLetters');
    expect(dead).toMatchObject({ reason: 'chain-limit', chainDepth: 3, tenant: 'acme', correlationId: 'c1' });
  });
});
