import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { type Region, startRegion } from '../../local/region.ts';
import { createJobClient } from '../../shared/index.ts';
import { silentJournal } from '../../shared/adapters/observability/silent-journal.ts';
import { boundFork } from '../support/bound-fork.ts';
import { brief, endless } from './sandboxes/outside-jobs.ts';
import { WAIT } from '../support/patience.ts';

const children: ChildProcess[] = [];
const regions: Region[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await Promise.all(regions.splice(0).map((region) => region.stop(0)));
});

interface Machine {
  readonly child: ChildProcess;
  readonly lines: string[];
  readonly exit: Promise<unknown[]>;
}

function startMachine(region: Region): Machine {
  const env = { ...process.env, ...region.workerEnvironment('machine') };
  const child = boundFork(join(import.meta.dirname, 'sandboxes/outside-worker.ts'), [], {
    env,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  children.push(child);
  const lines: string[] = [];
  child.stdout?.on('data', (chunk: Buffer) => lines.push(...chunk.toString('utf8').trim().split('\n')));
  return { child, lines, exit: once(child, 'exit') };
}

async function openRegion(): Promise<{ readonly region: Region; readonly jobs: ReturnType<typeof createJobClient> }> {
  const region = await startRegion({
    workers: { machine: { outside: true } },
    history: 'durable',
    hostEnvironment: {},
    journal: silentJournal,
  });
  regions.push(region);
  return { region, jobs: createJobClient({ environment: region.environment, journal: silentJournal }) };
}

test('SIGTERM lets a job end that can, gives back one that cannot, and the process ends by itself', async () => {
  const { region, jobs } = await openRegion();
  const machine = startMachine(region);
  const [short, long] = [await jobs.enqueue(brief, { ms: 2_500 }), await jobs.enqueue(endless, {})];
  await vi.waitFor(() => expect(machine.lines.toSorted()).toEqual(['brief 1', 'endless 1']), WAIT);
  machine.child.kill('SIGTERM');
  expect(await machine.exit).toEqual([0, null]);
  expect(machine.lines.at(-1)).toBe('ended');
  expect(await jobs.get(short.id)).toMatchObject({ state: 'finished', outcome: 'completed' });
  expect(await jobs.get(long.id)).toMatchObject({ state: 'ready', failures: 0 });
  const next = startMachine(region);
  await vi.waitFor(async () => expect(await jobs.get(long.id)).toMatchObject({ state: 'finished', outcome: 'completed' }), WAIT);
  next.child.kill('SIGTERM');
  expect(await next.exit).toEqual([0, null]);
});

test('kill -9 costs a job its lease, and nothing else: the next worker runs it again', async () => {
  const { region, jobs } = await openRegion();
  const machine = startMachine(region);
  const { id } = await jobs.enqueue(endless, {});
  await vi.waitFor(() => expect(machine.lines).toEqual(['endless 1']), WAIT);
  machine.child.kill('SIGKILL');
  await machine.exit;
  startMachine(region);
  await vi.waitFor(async () => expect(await jobs.get(id)).toMatchObject({ state: 'finished', outcome: 'completed' }), WAIT);
  expect(await jobs.get(id)).toMatchObject({ attempts: 2 });
});
