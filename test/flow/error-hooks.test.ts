import { describe, expect, it } from 'vitest';
import { defineJob, followUp, complete, continueWith, fail, snooze } from '../../shared/index.ts';
import { SandboxEndedError } from '../../functions/executor/execute-messages.ts';
import type { ExecutorDeps } from '../../functions/executor/deps.ts';
import { anyPayload, Rig, type RigOptions } from '../support/rig.ts';

const MINUTE = 60_000;
const work = defineJob('work', { payload: anyPayload, retry: 'R3/PT1M' });
const other = defineJob('other', { payload: anyPayload });

class Throttled extends Error {
  override readonly name = 'Throttled';
}

const failing = (error: unknown = new Error('no')) =>
  work.handle(() => {
    throw error;
  });

/** A rig whose worker has hooks, and a round over its queues with them. */
function withHooks(hooks: Partial<ExecutorDeps>, options: RigOptions = { handlers: [failing()] }) {
  const rig = new Rig(options);
  const deps = { ...rig.deps, ...hooks };
  const drain = async (): Promise<void> => {
    for (let round = 0; round < 20; round++) {
      const batches = rig.queues.map((queue) => rig.hints.receive(queue, 10)).filter((messages) => messages.length > 0);
      if (batches.length === 0) return;
      for (const messages of batches) await rig.execute(messages, deps);
    }
  };
  return { rig, drain };
}

describe('onError', () => {
  it('snoozes a job instead of counting a failure', async () => {
    const { rig, drain } = withHooks({ onError: () => snooze('PT2M') });
    const { id } = await rig.client.enqueue(work, {});
    await drain();
    expect(await rig.client.get(id)).toMatchObject({ state: 'ready', failures: 0, dueAt: new Date(rig.clock.now() + 2 * MINUTE) });
  });

  it('buries at once, with the error that was thrown', async () => {
    const { rig, drain } = withHooks(
      { onError: (error) => (error instanceof TypeError ? fail('a bug') : undefined) },
      { handlers: [failing(new TypeError('x'))] },
    );
    const { id } = await rig.client.enqueue(work, {});
    await drain();
    expect(await rig.client.get(id)).toMatchObject({ state: 'dead', reason: 'failed', error: { name: 'TypeError', message: 'x' } });
  });

  it('completes a job, and enqueues a follow-up in the same transaction that inherits from it', async () => {
    const { rig, drain } = withHooks({ onError: () => complete({ enqueue: [followUp(other, { instead: true })] }) });
    const { id } = await rig.client.enqueue(work, {}, { tenant: 'acme' });
    await drain();
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', outcome: 'completed' });
    const [follower] = await rig.rows('suspended');
    expect(follower).toMatchObject({ type: 'other', tenant: 'acme' });
  });

  it('continues a job whose handler may still run when its lease has ended', async () => {
    const deaf = defineJob('deaf', { payload: anyPayload, timeout: 'PT10S' }).handle(() => new Promise<never>(() => {}));
    const { rig, drain } = withHooks({ onError: () => continueWith({ step: 1 }) }, { handlers: [deaf] });
    const { id } = await rig.client.enqueue(deaf.type, {});
    const leaseEnd = rig.clock.now() + rig.deployment.settings.executorTimeoutMs + rig.deployment.settings.leaseMarginMs;
    const ended = drain().catch((error: unknown) => error);
    await rig.settle();
    await rig.clock.advance(10_000);
    await rig.settle();
    await rig.clock.advance(1_000);
    expect(await ended).toBeInstanceOf(SandboxEndedError);
    expect(await rig.client.get(id)).toMatchObject({ state: 'ready', failures: 0, dueAt: new Date(leaseEnd) });
    expect(await rig.rows('jobs')).toMatchObject([{ continuations: 1 }]);
  });

  it('does not hold up the recording with a follow-up whose schema never answers', async () => {
    const schema = { '~standard': { version: 1, vendor: 'test', validate: () => new Promise<never>(() => {}) } } as const;
    const { rig, drain } = withHooks({ onError: () => complete({ enqueue: [followUp(defineJob('silent', { payload: schema }), {})] }) });
    const { id } = await rig.client.enqueue(work, {});
    const drained = drain();
    await rig.settle();
    await rig.clock.advance(1_000);
    await drained;
    expect(await rig.client.get(id)).toMatchObject({ state: 'ready', failures: 1 });
    expect(rig.journal.entries.find(({ event }) => event === 'hook-failed')).toMatchObject({ reason: 'onError' });
  });

  it('leaves a job to its policy by saying nothing', async () => {
    const seen: unknown[] = [];
    const { rig, drain } = withHooks({
      onError: (error, { attempt }) => {
        seen.push([(error as Error).message, attempt]);
        return undefined;
      },
    });
    const { id } = await rig.client.enqueue(work, {});
    await drain();
    expect(seen).toEqual([['no', 1]]);
    expect(await rig.client.get(id)).toMatchObject({ failures: 1, dueAt: new Date(rig.clock.now() + MINUTE) });
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('hook');
      },
    ],
    ['answers with what is no verdict', () => 'later' as never],
    ['answers with a promise', async () => snooze('PT1H') as never],
  ])('that %s is ignored and counted', async (_, onError) => {
    const { rig, drain } = withHooks({ onError: onError as never });
    const { id } = await rig.client.enqueue(work, {});
    await drain();
    expect(await rig.client.get(id)).toMatchObject({ failures: 1 });
    expect(rig.journal.entries.filter(({ event }) => event === 'hook-failed')).toMatchObject([{ reason: 'onError', job: { id } }]);
  });
});

describe('retryFor', () => {
  const chooses = defineJob('work', {
    payload: anyPayload,
    retry: 'R3/PT1M',
    retryOn: { Throttled: 'R9/PT7M' },
    retryFor: (error, { failures }) => (error instanceof Throttled ? `R9/PT${failures + 2}M` : undefined),
  });

  it('of a type goes before retryOn and retry', async () => {
    const rig = new Rig({
      handlers: [
        chooses.handle(() => {
          throw new Throttled('slow down');
        }),
      ],
    });
    const { id } = await rig.client.enqueue(chooses, {}, { retry: 'never' });
    await rig.drain();
    expect(await rig.client.get(id)).toMatchObject({ failures: 1, dueAt: new Date(rig.clock.now() + 2 * MINUTE) });
  });

  it('that says nothing leaves it to the others', async () => {
    const rig = new Rig({
      handlers: [
        chooses.handle(() => {
          throw new Error('no');
        }),
      ],
    });
    const { id } = await rig.client.enqueue(chooses, {});
    await rig.drain();
    expect(await rig.client.get(id)).toMatchObject({ failures: 1, dueAt: new Date(rig.clock.now() + MINUTE) });
  });

  it('of a worker is asked for types that name no policy, and only for them', async () => {
    const retryFor = () => 'R5/PT3M';
    const broken = other.handle(() => {
      throw new Error('no');
    });
    const { rig, drain } = withHooks({ retryFor }, { handlers: [failing(), broken] });
    const [named, unnamed] = [await rig.client.enqueue(work, {}), await rig.client.enqueue(other, {})];
    await drain();
    expect(await rig.client.get(named.id)).toMatchObject({ dueAt: new Date(rig.clock.now() + MINUTE) });
    expect(await rig.client.get(unnamed.id)).toMatchObject({ dueAt: new Date(rig.clock.now() + 3 * MINUTE) });
  });

  it('that throws or gives no policy is ignored and counted', async () => {
    const broken = other.handle(() => {
      throw new Error('no');
    });
    const { rig, drain } = withHooks({ retryFor: () => 'often' }, { handlers: [broken] });
    const { id } = await rig.client.enqueue(other, {});
    await drain();
    expect(await rig.client.get(id)).toMatchObject({ state: 'ready', failures: 1 });
    expect(rig.journal.count('hook-failed')).toBe(1);
  });

  it('that is no function is refused when the type is defined', () => {
    expect(() => defineJob('x', { payload: anyPayload, retryFor: 'R5/PT5M' as never })).toThrow(/^retryFor: "R5\/PT5M"/);
  });
});
