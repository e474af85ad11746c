import * as z from 'zod/mini';
import { afterEach, expect, test, vi } from 'vitest';
import { type Region, startRegion } from '../../local/region.ts';
import { createJobClient, defineJob } from '../../shared/index.ts';
import { silentJournal } from '../../shared/adapters/observability/silent-journal.ts';
import { createExecutor } from '../../functions/index.ts';
import { WAIT } from '../support/patience.ts';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const note = defineJob('note', { payload: z.object({ name: z.string() }) });
const regions: Region[] = [];

afterEach(async () => {
  await Promise.all(regions.splice(0).map((region) => region.stop(0)));
});

test('no lane starves another: while all executors of one are busy the other goes on, whichever of the two it is', async () => {
  const done: string[] = [];
  let release = (): void => {};
  let held = new Promise<void>((resolve) => (release = resolve));
  const busy = new Set<string>();
  const region = await startRegion({
    workers: {
      default: {
        lanes: { urgent: { from: 10, maxConcurrency: 2 }, default: { to: 9, maxConcurrency: 2 } },
        groups: false,
        createExecutor: (environment, sandbox) =>
          createExecutor(
            [
              note.handle(async ({ payload: { name } }) => {
                if (name.startsWith('slow')) {
                  busy.add(name);
                  await held;
                }
                done.push(name);
              }),
            ],
            { environment, sandbox, journal: silentJournal, log: () => log },
          ),
      },
    },
    settings: { batchSize: 1 },
    tickMs: 0,
    journal: silentJournal,
    hostEnvironment: {},
  });
  regions.push(region);
  const jobs = createJobClient({ environment: region.environment, journal: silentJournal });
  for (const [full, free] of [
    [0, 10],
    [10, 0],
  ] as const) {
    const slow = Array.from({ length: 6 }, (_, n) => ({ name: `slow ${n} of ${full}` }));
    await jobs.enqueueMany(note, slow, { priority: full });
    await vi.waitFor(() => expect(busy.size).toBe(2), WAIT);
    await jobs.enqueue(note, { name: `quick ${free}` }, { priority: free });
    await vi.waitFor(() => expect(done).toContain(`quick ${free}`), WAIT);
    // Two executors of the full lane are busy, and its four other jobs wait for them.
    expect([...busy]).toHaveLength(2);
    release();
    await vi.waitFor(() => expect(done.filter((name) => name.endsWith(`of ${full}`))).toHaveLength(6), WAIT);
    busy.clear();
    held = new Promise<void>((resolve) => (release = resolve));
  }
  release();
});
