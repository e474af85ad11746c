import { expect, test } from 'vitest';
import type { FunctionRuntime } from '../../local/function-runtime.ts';
import { startTicks } from '../../local/ticks.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function ticked(invoke: () => Promise<unknown>, mayOverlap = false) {
  const clock = new SettableClock();
  const problems: string[] = [];
  const runtime: FunctionRuntime = { name: 'sweeper', running: 0, invoke };
  const ticks = startTicks(
    { runtime, everyMs: 1_000, functionTimeoutMs: 500, mayOverlap, onProblem: (what) => problems.push(what) },
    clock,
  );
  return { clock, problems, ticks };
}

test('a function is invoked at once and then at its interval, until it is stopped', async () => {
  let calls = 0;
  const { clock, ticks } = ticked(async () => void (calls += 1));
  await clock.advance(3_500);
  expect(calls).toBe(4);
  await ticks.stop(0);
  await clock.advance(5_000);
  expect(calls).toBe(4);
});

test('a tick that fails is told and followed by the next one', async () => {
  let calls = 0;
  const { clock, problems } = ticked(async () => {
    calls += 1;
    throw new Error('no');
  });
  await clock.advance(1_000);
  await settle();
  expect([calls, problems]).toEqual([2, ['tick sweeper', 'tick sweeper']]);
});

test.each([
  [false, 1],
  [true, 3],
])('with mayOverlap %s, %i ticks start while the first one still runs', async (mayOverlap, expected) => {
  let calls = 0;
  const { clock } = ticked(() => {
    calls += 1;
    return new Promise(() => {});
  }, mayOverlap);
  await clock.advance(2_500);
  expect(calls).toBe(expected);
});

test('stopping waits for the tick that runs, and no longer than its grace', async () => {
  const gate = Promise.withResolvers<void>();
  const { clock, ticks } = ticked(() => gate.promise);
  let stopped = false;
  void ticks.stop(400).then(() => {
    stopped = true;
  });
  await clock.advance(300);
  expect(stopped).toBe(false);
  await clock.advance(100);
  await settle();
  expect(stopped).toBe(true);
});
