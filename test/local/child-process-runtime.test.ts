import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { bundleEntry } from '../../infra/esbuild-bundle.ts';
import { type ChildProcessRuntime, type ChildProcessSpec, createChildProcessRuntime } from '../../local/child-process-runtime.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import { WAIT } from '../support/patience.ts';

const LONG = { timeoutMs: 20_000 };
const runtimes: ChildProcessRuntime[] = [];
let root: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'sandboxes-'));
  for (const name of ['actions', 'will-not-load'])
    bundleEntry(join(import.meta.dirname, 'sandboxes', `${name}.ts`), join(root, name), true);
});
afterEach(async () => {
  await Promise.all(runtimes.splice(0).map((runtime) => runtime.stop()));
});
afterAll(() => rmSync(root, { recursive: true }));

function runtimeOf(options: Partial<ChildProcessSpec> & { readonly code?: string } = {}, clock?: SettableClock): ChildProcessRuntime {
  const { code = 'actions', ...spec } = options;
  const runtime = createChildProcessRuntime(
    { name: 'f', memoryMb: 256, codeFolder: join(root, code), environment: {}, log: () => {}, ...spec },
    clock,
  );
  runtimes.push(runtime);
  return runtime;
}

const isThere = (pid: number): boolean => existsSync(`/proc/${pid}`);
/** R: running, S: sleeping, T: stopped. */
const stateOf = async (pid: number): Promise<string> => /\) (\w) /.exec(await readFile(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? '';
const [pidOf, isFrozen] = [
  (runtime: ChildProcessRuntime): number => runtime.sandboxes[0]?.pid ?? 0,
  async (pid: number): Promise<void> => expect(await stateOf(pid)).toBe('T'),
];

test('a sandbox has its own variables and those of Lambda, and nothing of the host', async () => {
  vi.stubEnv('SECRET_OF_THE_HOST', 'x');
  vi.stubEnv('AWS_PROFILE', 'mine');
  const runtime = runtimeOf({ environment: { TABLE: 'orders', ABSENT: undefined, AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:1' } });
  const { environment, argv, cwd } = (await runtime.invoke({ do: 'environment' }, LONG)) as {
    environment: Record<string, string>;
    argv: string[];
    cwd: string;
  };
  vi.unstubAllEnvs();
  expect(environment).toMatchObject({
    TABLE: 'orders',
    AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:1',
    AWS_LAMBDA_FUNCTION_NAME: 'f',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '256',
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    LAMBDA_TASK_ROOT: join(root, 'actions'),
  });
  const stray = Object.keys(environment).filter((name) => !/^(AWS_|LAMBDA_|_HANDLER$|LANG$|NODE_OPTIONS$|TABLE$|TZ$)/.test(name));
  expect([stray, environment['AWS_PROFILE'], argv, cwd]).toEqual([[], undefined, [], join(root, 'actions')]);
});

test('a sandbox is killed at its deadline, even one whose event loop is blocked, and replaced', async () => {
  const runtime = runtimeOf();
  for (const action of ['hang', 'spin']) {
    const { pid } = (await runtime.invoke({ do: 'sandbox' }, LONG)) as { pid: number };
    await expect(runtime.invoke({ do: action }, { timeoutMs: 300 })).rejects.toMatchObject({
      kind: 'timed-out',
      message: 'f: Task timed out after 0.30 seconds',
    });
    expect(isThere(pid)).toBe(false);
  }
  expect(await runtime.invoke({ do: 'sandbox' }, LONG)).toMatchObject({ calls: 1 });
});

test('a handler knows how much time is left to it', async () => {
  const { remaining } = (await runtimeOf().invoke({ do: 'sandbox' }, { timeoutMs: 5_000 })) as { remaining: number };
  expect(remaining).toBeGreaterThan(3_000);
  expect(remaining).toBeLessThanOrEqual(5_000);
});

test('a sandbox is frozen between invocations: its timers stand still until the next event', async () => {
  const runtime = runtimeOf();
  await runtime.invoke({ do: 'count' }, LONG);
  await vi.waitFor(() => isFrozen(pidOf(runtime)), WAIT);
  const frozenMs = 400;
  // Real time has to pass: what is shown is that nothing happens in it.
  await new Promise((resolve) => setTimeout(resolve, frozenMs));
  const after = (await runtime.invoke({ do: 'count' }, LONG)) as { ticks: number; longestPause: number };
  expect(after.longestPause).toBeGreaterThanOrEqual(frozenMs);
  // At 5 ms a tick it would have ticked 80 times.
  expect(after.ticks).toBeLessThan(40);
  expect(runtime.sandboxes).toHaveLength(1);
});

test('invocations at the same time have sandboxes of their own up to the limit; the others wait', async () => {
  const runtime = runtimeOf({ maxSandboxes: 2 });
  const met = await Promise.all(
    [1, 2, 3, 4].map(() => runtime.invoke({ do: 'meet', ms: 300 }, LONG) as Promise<{ pid: number; at: number }>),
  );
  expect(new Set(met.map(({ pid }) => pid)).size).toBe(2);
  const [first = 0, second = 0, third = 0] = met.map(({ at }) => at).toSorted((a, b) => a - b);
  expect([third - first >= 250, third > second, runtime.running]).toEqual([true, true, 0]);
});

test('an idle sandbox is used again, and ended when it has been idle for long', async () => {
  const clock = new SettableClock(Date.now());
  const runtime = runtimeOf({ keepIdleMs: 60_000 }, clock);
  const { pid } = (await runtime.invoke({ do: 'sandbox' }, LONG)) as { pid: number };
  await vi.waitFor(() => isFrozen(pid), WAIT);
  await clock.advance(59_000);
  expect(await runtime.invoke({ do: 'sandbox' }, LONG)).toMatchObject({ pid, calls: 2 });
  await vi.waitFor(() => isFrozen(pid), WAIT);
  await clock.advance(60_000);
  await vi.waitFor(() => expect(isThere(pid)).toBe(false), WAIT);
  expect(runtime.sandboxes).toEqual([]);
});

test('a process that exits fails its invocation and is replaced', async () => {
  const runtime = runtimeOf();
  await expect(runtime.invoke({ do: 'exit' }, LONG)).rejects.toMatchObject({
    kind: 'sandbox-ended',
    message: 'f: Runtime exited with error: exit status 3',
  });
  expect(await runtime.invoke({ do: 'sandbox' }, LONG)).toMatchObject({ calls: 1 });
});

test('a sandbox that is killed from outside fails its invocation, and while it is frozen none', async () => {
  const runtime = runtimeOf();
  await runtime.invoke({ do: 'sandbox' }, LONG);
  const hanging = runtime.invoke({ do: 'hang' }, LONG);
  process.kill(pidOf(runtime), 'SIGKILL');
  await expect(hanging).rejects.toMatchObject({ message: 'f: Runtime exited with error: signal: killed' });
  const { pid } = (await runtime.invoke({ do: 'sandbox' }, LONG)) as { pid: number };
  process.kill(pid, 'SIGKILL');
  await vi.waitFor(() => expect(runtime.sandboxes).toEqual([]), WAIT);
  expect(await runtime.invoke({ do: 'sandbox' }, LONG)).toMatchObject({ calls: 1 });
});

test('an error of the code is told by type and message, and its sandbox goes on', async () => {
  const runtime = runtimeOf();
  await expect(runtime.invoke({ do: 'throw', text: 'no' }, LONG)).rejects.toMatchObject({ kind: 'threw', message: 'f: TypeError: no' });
  expect(await runtime.invoke({ do: 'sandbox' }, LONG)).toMatchObject({ calls: 2 });
});

test('code that does not load fails each invocation with what it said', async () => {
  const runtime = runtimeOf({ code: 'will-not-load' });
  for (let tries = 0; tries < 2; tries += 1) {
    await expect(runtime.invoke({}, LONG)).rejects.toMatchObject({ kind: 'threw', message: 'f: RangeError: no such table' });
  }
});

test('what a sandbox prints arrives line by line', async () => {
  const lines: string[] = [];
  const runtime = runtimeOf({ log: (line) => lines.push(line) });
  await runtime.invoke({ do: 'print', text: 'hello' }, LONG);
  await vi.waitFor(() => expect(lines.toSorted()).toEqual(['hello to stderr', 'hello to stdout']), WAIT);
});

test('a kill that is put off leaves the sandbox alive past its failed invocation, and no longer than it asks for work', async () => {
  const runtime = runtimeOf();
  await runtime.invoke({ do: 'sandbox' }, LONG);
  const pid = pidOf(runtime);
  const hanging = runtime.invoke({ do: 'hang', ms: 700 }, { timeoutMs: 200 });
  runtime.sandboxes[0]?.putOffKill(Date.now() + 10_000);
  await expect(hanging).rejects.toMatchObject({ kind: 'timed-out' });
  expect(isThere(pid)).toBe(true);
  expect(((await runtime.invoke({ do: 'sandbox' }, LONG)) as { pid: number }).pid).not.toBe(pid);
  await vi.waitFor(() => expect(isThere(pid)).toBe(false), WAIT);
});

test('a stopped runtime leaves no process behind, and takes no more invocations', async () => {
  const runtime = runtimeOf();
  await runtime.invoke({ do: 'sandbox' }, LONG);
  const hanging = runtime.invoke({ do: 'hang' }, LONG).catch((error: unknown) => error);
  await runtime.invoke({ do: 'sandbox' }, LONG);
  const pids = runtime.sandboxes.map(({ pid }) => pid);
  expect(pids.filter(isThere)).toHaveLength(2);
  await runtime.stop();
  expect(await hanging).toMatchObject({ kind: 'sandbox-ended' });
  expect(pids.filter(isThere)).toEqual([]);
  await expect(runtime.invoke({ do: 'sandbox' }, LONG)).rejects.toThrow('its sandboxes were stopped');
});

test('sandboxes die with the process that started them, frozen or busy, also when it is killed', async () => {
  const parent = spawn(process.execPath, [join(import.meta.dirname, 'sandboxes', 'parent.ts'), join(root, 'actions')]);
  const [line] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string];
  const pids = JSON.parse(line) as readonly number[];
  // A signal takes its time to arrive.
  await vi.waitFor(async () => {
    const states = await Promise.all(pids.map(stateOf));
    expect([states.filter((state) => state === 'T').length, states.length]).toEqual([1, 2]);
  }, WAIT);
  parent.kill('SIGKILL');
  await vi.waitFor(() => expect(pids.filter(isThere)).toEqual([]), WAIT);
});
