import { describe, expect, it } from 'vitest';
import { defineSchedule } from '../../shared/features/schedules/model/definition.ts';
import { both, drain } from './both-versions.ts';
import { keptReleases } from './kept-release.ts';
import { knowsExclusions } from './known-features.ts';
import { shiftTime } from './shared-deployment.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
shiftTime();

describe.each(keptReleases())('the release of $origin.committedAt beside schedules that only today can make', (release) => {
  it.skipIf(knowsExclusions(release))('excluded days: the earlier version runs what was planned, and no more', async () => {
    const { shared, a: earlier, b: now } = await both(release, 'earlier');
    const nominal: string[] = [];
    shared.handler = ({ job }) => void nominal.push(job.nominalAt?.toISOString().slice(0, 10) ?? '');
    const day = (days: number): string => new Date(Date.now() + days * 24 * HOUR).toISOString().slice(0, 10);
    const [, first = '', second = '', third = '', fourth = ''] = [0, 1, 2, 3, 4].map(day);
    const times = { cron: '0 0 * * *', exclude: [first, third] };
    await now.admin.schedules.put(defineSchedule('daily', { job: now.types.plain, payload: {}, ...times }));
    expect(await earlier.admin.schedules.list()).toMatchObject({ schedules: [], unreadable: ['daily'] });
    for (let passed = 0; passed < 3; passed++) {
      shared.pass(24 * HOUR);
      await earlier.acquire();
      await earlier.sweep();
      await drain(earlier);
    }
    expect(nominal).toEqual([second]);
    for (let passed = 0; passed < 24; passed++) {
      await now.sweep();
      await now.acquire();
      await drain(now);
      shared.pass(HOUR);
    }
    expect(nominal).toEqual([second, fourth]);
  });

  it('a backfill: the earlier version runs its jobs, each once, as those that an operator started', async () => {
    const { shared, a: earlier, b: now } = await both(release, 'earlier');
    const nominal: string[] = [];
    shared.handler = ({ job }) => void nominal.push(job.nominalAt?.toISOString() ?? '');
    const times = { cron: '0 * * * *', overlap: 'skip' } as const;
    await now.admin.schedules.put(defineSchedule('hourly', { job: now.types.plain, payload: {}, ...times }));
    const range = { from: Date.now() - 3 * HOUR, to: Date.now(), apply: true };
    const report = await now.admin.schedules.backfill('hourly', range);
    expect(report).toMatchObject({ enqueued: 3, known: 0 });
    for (let passed = 0; passed < 6; passed++) {
      await drain(earlier);
      shared.pass(MINUTE);
    }
    expect(nominal.length).toBe(3);
    expect(new Set(nominal).size).toBe(3);
    expect(await now.admin.schedules.backfill('hourly', range)).toMatchObject({ enqueued: 0, known: 3 });
  });
});
