import type { Context } from 'aws-lambda';
import { expect, test } from 'vitest';
import { FunctionError, type LambdaHandler } from '../../local/function-runtime.ts';
import { createSharedProcessRuntime } from '../../local/shared-process-runtime.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import type { Sandbox } from '../../shared/ports/sandbox.ts';

type Body = (event: unknown, context: Context, sandbox: Sandbox) => Promise<unknown>;

/** A runtime of a function that notes how often it was loaded. */
function functionOf(body: Body) {
  const clock = new SettableClock();
  const loads: number[] = [];
  const create = (sandbox: Sandbox): LambdaHandler => {
    loads.push(loads.length + 1);
    return (event, context) => body(event, context, sandbox);
  };
  return { clock, loads, runtime: createSharedProcessRuntime({ name: 'worker', memoryMb: 128, create }, clock) };
}

test('a function gets its event and what is left of its time', async () => {
  const { clock, runtime } = functionOf(async (event, context) => {
    const before = context.getRemainingTimeInMillis();
    await clock.advance(400);
    return { event, before, after: context.getRemainingTimeInMillis(), name: context.functionName };
  });
  expect(await runtime.invoke({ n: 1 }, { timeoutMs: 1_000 })).toEqual({ event: { n: 1 }, before: 1_000, after: 600, name: 'worker' });
});

test('a function that throws fails its invocation with its error as the cause, and keeps its sandbox', async () => {
  const { loads, runtime } = functionOf(async (event) => {
    if (event === 'bad') throw new TypeError('bad event');
    return 'good';
  });
  const failure = await runtime.invoke('bad', { timeoutMs: 1_000 }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(FunctionError);
  expect(failure).toMatchObject({ kind: 'threw', cause: { message: 'bad event' } });
  expect(await runtime.invoke('good', { timeoutMs: 1_000 })).toBe('good');
  expect(loads).toEqual([1]);
});

test('a function that passes its timeout fails its invocation, and the next one starts in a new sandbox', async () => {
  let calls = 0;
  const { clock, loads, runtime } = functionOf(() => {
    calls += 1;
    return calls === 1 ? new Promise(() => {}) : Promise.resolve('second');
  });
  const hanging = runtime.invoke({}, { timeoutMs: 1_000 }).catch((error: unknown) => error);
  await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(1_000);
  expect(await hanging).toMatchObject({ kind: 'timed-out' });
  expect(await runtime.invoke({}, { timeoutMs: 1_000 })).toBe('second');
  expect([loads, runtime.running]).toEqual([[1, 2], 0]);
});

test('a sandbox that ends itself fails its invocation even when the function still returns, and is replaced', async () => {
  let calls = 0;
  const { loads, runtime } = functionOf(async (_event, _context, sandbox) => {
    calls += 1;
    if (calls === 1) sandbox.end();
    return 'returned';
  });
  await expect(runtime.invoke({}, { timeoutMs: 1_000 })).rejects.toMatchObject({ kind: 'sandbox-ended' });
  expect(await runtime.invoke({}, { timeoutMs: 1_000 })).toBe('returned');
  expect(loads).toEqual([1, 2]);
});

test('invocations at the same time have sandboxes of their own, which are used again when idle', async () => {
  const gates: (() => void)[] = [];
  const { loads, runtime } = functionOf(() => new Promise<void>((resolve) => gates.push(resolve)));
  const both = [runtime.invoke({}, { timeoutMs: 1_000 }), runtime.invoke({}, { timeoutMs: 1_000 })];
  await new Promise((resolve) => setImmediate(resolve));
  expect([loads, runtime.running]).toEqual([[1, 2], 2]);
  for (const open of gates.splice(0)) open();
  await Promise.all(both);
  const third = runtime.invoke({}, { timeoutMs: 1_000 });
  await new Promise((resolve) => setImmediate(resolve));
  gates[0]?.();
  await third;
  expect(loads).toEqual([1, 2]);
});
