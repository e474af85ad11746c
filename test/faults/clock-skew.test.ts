import { describe, expect, it } from 'vitest';
import { defineJob } from '../../shared/job/job-type.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import { skewedClock } from '../../testing/index.ts';
import { invokeExecutor } from '../../testing/kit/event-source.ts';
import type { ExecutorDeps } from '../../functions/executor/deps.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const FIFO = { worker: 'default', lane: '', kind: 'fifo' } as const;
const SECOND = 1_000;
const work = defineJob('work', { payload: anyPayload });

interface Walk {
  readonly rig: Rig;
  /** When Lambda kills the first executor, in true time: until then its handler may run. */
  readonly killedAt: number;
  /** When the second job of the group began, in true time. */
  readonly startedAt: number;
}

/**
 * An executor whose clock is `behindMs` behind takes the first job of a group, hangs and is killed at its deadline; its message is
 * gone from the queue. Another one, `aheadMs` ahead, tries the next job of the group second by second.
 */
async function twoExecutors(behindMs: number, aheadMs: number): Promise<Walk> {
  const starts: number[] = [];
  const rig: Rig = new Rig({
    handlers: [
      work.handle(async ({ payload }) => {
        starts.push(rig.clock.now());
        if (payload['hangs'] === true) await new Promise(() => {});
      }),
    ],
  });
  const { executorTimeoutMs } = rig.deployment.settings;
  const run = async (clock: Clock, messages = rig.hints.receive(FIFO, 10)): Promise<readonly string[]> => {
    const deps: ExecutorDeps = { ...rig.deps, clock };
    return invokeExecutor(deps, rig.hints, messages, { requestId: 'r', deadlineAt: clock.now() + executorTimeoutMs });
  };
  await rig.client.enqueue(work, { hangs: true }, { group: 'g' });
  // By its own clock the job is not due any earlier.
  await rig.clock.advance(behindMs);
  const killedAt = rig.clock.now() + executorTimeoutMs;
  // A process that hangs hears no timer of its own; nothing but the kill ends it.
  const first = rig.hints.receive(FIFO, 10);
  void run({ ...skewedClock(rig.clock, -behindMs), wait: () => new Promise(() => {}) }, first);
  await rig.settle();
  expect(starts).toHaveLength(1);
  for (const message of first) rig.hints.acknowledge(message);
  await rig.client.enqueue(work, {}, { group: 'g' });
  const other = skewedClock(rig.clock, aheadMs);
  for (let second = 0; second < 2_000 && starts.length < 2; second++) {
    await rig.until(run(other), 10);
    await rig.clock.advance(SECOND);
    if (second % 60 === 59) await rig.sweep();
  }
  return { rig, killedAt, startedAt: starts[1] ?? Number.NaN };
}

describe('two executors whose clocks differ', () => {
  it.each([
    [0, 0],
    [1, 1],
    [2, 0],
    [0, 2],
  ])('by %i s behind and %i s ahead, which is the bound, never run one group at once', async (behind, ahead) => {
    const { killedAt, startedAt } = await twoExecutors(behind * SECOND, ahead * SECOND);
    expect(startedAt).toBeGreaterThan(killedAt);
  });

  it('by more than the margin do: what keeps groups apart is the bound', async () => {
    const { rig, killedAt, startedAt } = await twoExecutors(8 * SECOND, 8 * SECOND);
    expect(startedAt).toBeLessThan(killedAt);
    expect(rig.journal.count('completed')).toBe(1);
  });
});
