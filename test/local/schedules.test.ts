import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { everyNight, everyTwentyMinutes } from '../../examples/schedules/jobs.ts';
import { startRegion } from '../../local/region.ts';
import { createAdmin } from '../../operate/index.ts';
import { silentJournal } from '../../shared/adapters/observability/silent-journal.ts';

const entry = fileURLToPath(new URL('../../examples/schedules/worker.ts', import.meta.url));

test.each([
  ['in this process', false],
  ['from a file beside its bundle, in a process of its own', true],
])('the acquirer brings the schedules of the code to Control, %s', async (_, processes) => {
  const region = await startRegion({
    workers: { default: processes ? { entry } : { createExecutor: () => async () => ({ batchItemFailures: [] }) } },
    schedules: [everyNight, everyTwentyMinutes],
    processes,
    tickMs: 0,
    hostEnvironment: {},
    onLog: () => {},
    journal: silentJournal,
  });
  onTestFinished(async () => void (await region.stop(0)));
  const { schedules } = createAdmin({ environment: region.environment });
  await region.acquire();
  const { schedules: found } = await schedules.list();
  expect(found.map(({ name, origin, definition }) => [name, origin, definition])).toEqual([
    ['daily-report', 'code', everyNight],
    ['rates', 'code', everyTwentyMinutes],
  ]);
  expect(await schedules.pause('rates')).toBe(true);
  await region.acquire();
  expect((await schedules.get('rates'))?.paused).toBeDefined();
});
