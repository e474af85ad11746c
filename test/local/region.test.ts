import * as z from 'zod/mini';
import { afterEach, expect, test, vi } from 'vitest';
import { type Region, startRegion } from '../../local/region.ts';
import type { RegionOptions } from '../../local/region-options.ts';
import { silentJournal } from '../../shared/adapters/observability/silent-journal.ts';
import type { Journal } from '../../shared/ports/journal.ts';
import { createJobClient, defineJob, type JobHandler } from '../../shared/index.ts';
import { createExecutor } from '../../functions/index.ts';
import { WAIT } from '../support/patience.ts';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const note = defineJob('note', { payload: z.object({ text: z.string() }), timeout: 'PT1S', retry: 'R5/PT0S' });
const regions: Region[] = [];

afterEach(async () => {
  await Promise.all(regions.splice(0).map((region) => region.stop(0)));
});

interface Noted {
  readonly region: Region;
  readonly jobs: ReturnType<typeof createJobClient>;
  /** What the journals of executors said. */
  readonly events: string[];
}

/** A region whose only job type runs the given handler. */
async function regionOf(handler: JobHandler<{ text: string }>, options: Partial<RegionOptions> = {}): Promise<Noted> {
  const events: string[] = [];
  const journal: Journal = { ...silentJournal, record: ({ event }) => void events.push(event) };
  const region = await startRegion({
    workers: {
      default: {
        createExecutor: (environment, sandbox) => createExecutor([note.handle(handler)], { environment, sandbox, journal, log: () => log }),
      },
    },
    journal: silentJournal,
    hostEnvironment: {},
    ...options,
  });
  regions.push(region);
  return { region, events, jobs: createJobClient({ environment: region.environment, journal: silentJournal }) };
}

test('two regions in one process run their own jobs and only these', async () => {
  const seen: string[][] = [[], []];
  const both = await Promise.all(seen.map((list) => regionOf(({ payload }) => void list.push(payload.text))));
  await Promise.all(
    both.map(({ jobs }, n) =>
      jobs.enqueueMany(
        note,
        [0, 1, 2].map((m) => ({ text: `region ${n}, job ${m}` })),
      ),
    ),
  );
  await vi.waitFor(() => expect(seen.map((list) => list.length)).toEqual([3, 3]), WAIT);
  for (const [n, list] of seen.entries()) expect(list.every((text) => text.startsWith(`region ${n}`))).toBe(true);
});

test('a handler that outlives its attempt has its sandbox replaced, and its job runs again in a new one', async () => {
  const attempts: number[] = [];
  const problems: string[] = [];
  const { jobs, events } = await regionOf(
    ({ job }) => {
      attempts.push(job.attempt);
      return attempts.length === 1 ? new Promise(() => {}) : undefined;
    },
    { onProblem: (_what, error) => problems.push(String(error)) },
  );
  const { id } = await jobs.enqueue(note, { text: 'stubborn' });
  await vi.waitFor(() => expect(events).toContain('completed'), WAIT);
  expect([attempts, events.filter((event) => event === 'sandbox-ended' || event === 'completed')]).toEqual([
    [1, 2],
    ['sandbox-ended', 'completed'],
  ]);
  expect(problems).toEqual(['FunctionError: executor-default: Runtime exited with error: exit status 1']);
  await vi.waitFor(async () => expect(await jobs.get(id)).toMatchObject({ state: 'finished', outcome: 'completed' }), WAIT);
});

test('stopping a region waits no longer than its grace for a job that does not end, and counts it', async () => {
  let started = 0;
  const gate = Promise.withResolvers<void>();
  const { region, jobs } = await regionOf(() => {
    started += 1;
    return gate.promise;
  });
  await jobs.enqueue(note, { text: 'slow' });
  await vi.waitFor(() => expect(started).toBe(1), WAIT);
  expect(await region.stop(100)).toBe(1);
  gate.resolve();
  await expect(region.acquire()).rejects.toThrow('acquirer');
});

test('a region without ticks fires its timers when the crank is turned', async () => {
  const seen: number[] = [];
  const { region, jobs } = await regionOf(({ job }) => void seen.push(Date.now() - job.dueAt.getTime()), { tickMs: 0 });
  const { id } = await jobs.enqueue(note, { text: 'later' }, { delay: region.settings.delayHorizonMs + 500 });
  expect(await jobs.get(id)).toMatchObject({ state: 'waiting' });
  await region.acquire();
  expect(await jobs.get(id)).toMatchObject({ state: 'ready' });
  await vi.waitFor(() => expect(seen).toHaveLength(1), WAIT);
  expect(seen[0]).toBeGreaterThanOrEqual(0);
});

test('settings that cannot work are refused before anything is started', async () => {
  await expect(regionOf(() => {}, { settings: { leaseMarginMs: 1 } })).rejects.toThrow('leaseMarginMs');
  await expect(regionOf(() => {}, { settings: { horizon: 1 } })).rejects.toThrow('horizon is not a setting');
});

test('a region that cannot start gives the credentials of the process back', async () => {
  vi.stubEnv('AWS_PROFILE', 'mine');
  // Port 1 of the loopback interface: nobody listens.
  const hostEnvironment = { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1' };
  await expect(regionOf(() => {}, { hostEnvironment })).rejects.toThrow('ECONNREFUSED');
  expect(process.env['AWS_PROFILE']).toBe('mine');
  vi.unstubAllEnvs();
});
