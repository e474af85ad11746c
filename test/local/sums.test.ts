import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Region, startRegion } from '../../local/region.ts';
import { type Admin, createAdmin } from '../../operate/index.ts';
import { createJobClient, defineJob, fail } from '../../shared/index.ts';
import { silentJournal } from '../../shared/adapters/observability/silent-journal.ts';
import { createExecutor } from '../../functions/index.ts';
import { anyPayload } from '../support/rig.ts';
import { WAIT } from '../support/patience.ts';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const work = defineJob('work', { payload: anyPayload, retry: 'never' });

let region: Region;
let admin: Admin;

beforeAll(async () => {
  const handled = work.handle(({ payload }) => (payload['bad'] === true ? fail('out of paper') : undefined));
  region = await startRegion({
    workers: {
      default: { createExecutor: (environment) => createExecutor([handled], { environment, journal: silentJournal, log: () => log }) },
    },
    journal: silentJournal,
    hostEnvironment: {},
    tickMs: 0,
  });
  admin = createAdmin({ environment: region.environment });
});

afterAll(async () => {
  await region.stop(0);
});

test("a deployment's functions write error groups and statistics, and their ticks are seen", async () => {
  const jobs = createJobClient({ environment: region.environment, journal: silentJournal });
  await jobs.enqueueMany(work, [{ bad: true }, { bad: true }, {}, {}, {}]);
  await vi.waitFor(async () => expect((await admin.count({ state: ['dead', 'ready', 'running'] })).dead).toBe(2), WAIT);
  await vi.waitFor(async () => expect((await admin.errorGroups()).groups).toHaveLength(1), WAIT);
  const [group] = (await admin.errorGroups()).groups;
  expect(group).toMatchObject({ type: 'work', message: 'out of paper', state: 'open' });
  expect(await admin.errorGroup(group?.fingerprint ?? '')).toMatchObject({ open: 2 });
  // What a sandbox did within ten seconds of its last write is told by its next invocation.
  await vi.waitFor(async () => expect((await admin.statistics()).reduce((sum, { started }) => sum + started, 0)).toBeGreaterThan(0), WAIT);
  await region.acquire();
  await region.sweep();
  expect((await admin.heartbeats()).map(({ who, late }) => [who, late])).toEqual([
    ['acquirer/0', false],
    ['sweeper', false],
  ]);
});
