import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { within } from '../../bench/frame/within.ts';
import { startWorkerProcess } from '../../bench/peers/workers/worker-process.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const never = new Promise<number>(() => {});
const whyOf = ([settled]: PromiseSettledResult<unknown>[]): string => (settled?.status === 'rejected' ? String(settled.reason) : 'it came');

test('a wait that comes to nothing says for what, and how long', async () => {
  const waiting = Promise.allSettled([within(never, { ms: 30_000, what: 'a job to start' })]);
  await vi.advanceTimersByTimeAsync(29_999);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(whyOf(await waiting)).toContain('waited 30 s for a job to start, in vain');
});

test('a wait that is answered, or fails, leaves no timer that would keep the process alive', async () => {
  await expect(within(Promise.resolve(7), { ms: 30_000, what: 'a number' })).resolves.toBe(7);
  await expect(within(Promise.reject(new Error('no queue')), { ms: 30_000, what: 'a number' })).rejects.toThrow('no queue');
  expect(vi.getTimerCount()).toBe(0);
});

test('a wait that fails only after its time says so once, and ends no process', async () => {
  const { promise, reject } = Promise.withResolvers<never>();
  const waiting = Promise.allSettled([within(promise, { ms: 10, what: 'an answer' })]);
  await vi.advanceTimersByTimeAsync(10);
  reject(new Error('too late'));
  expect(whyOf(await waiting)).toContain('in vain');
});

test('a worker process that never answers is waited for as long as it may take, and killed in the end', async () => {
  vi.useRealTimers();
  const silent = { file: '../../../test/bench/silent-worker.ts', environment: {} };
  const worker = await startWorkerProcess(silent, { answerMs: 10 });
  await expect(worker.work()).rejects.toThrow('for silent-worker.ts to be working, in vain');
  await expect(worker.rest()).rejects.toThrow('for silent-worker.ts to be resting, in vain');
  await expect(worker.end()).rejects.toThrow('for silent-worker.ts to end, in vain');
  expect(() => process.kill(worker.pid, 0)).toThrow('ESRCH');
});

test('a worker process that does not come up is no longer there', async () => {
  vi.useRealTimers();
  const entry = { file: '../../../test/bench/silent-worker.ts', environment: {} };
  await expect(startWorkerProcess(entry, { startMs: 1 })).rejects.toThrow('for silent-worker.ts to be ready, in vain');
});
