import { describe, expect, test } from 'vitest';
import { fixedDeployment } from './fixed-deployment.ts';
import { jobsInEveryState } from './jobs-in-every-state.ts';
import { openConsole } from './open-console.ts';

const PAGES = [
  '/',
  '/jobs',
  '/dead-letters',
  '/schedules',
  '/suspensions',
  '/groups',
  '/limits',
  '/batches',
  '/workers',
  '/bulks',
  '/audit',
];

describe('a console that was started for a stack', () => {
  test('names it in every command for the terminal', async () => {
    const place = { name: 'shop', production: false, words: ['--stack', 'shop'] };
    const world = await jobsInEveryState(2);
    const open = await openConsole({ admin: world.admin, now: () => world.kit.clock.now(), place });
    const paths = [...PAGES, `/jobs/${world.ids.dead}`];
    const pages = await Promise.all(paths.map(async (path) => ({ path, text: (await open.get(path)).text })));
    await world.release();
    await open.close();
    for (const { path, text } of pages) {
      const commands = [...text.matchAll(/<code>(nightcrew [^<]*)<\/code>/g)].map(([, line]) => line ?? '');
      const without = commands.filter((line) => !line.endsWith(' --stack shop'));
      expect({ path, none: commands.length === 0, without }).toEqual({ path, none: false, without: [] });
    }
  });
});

describe('groups and locks', () => {
  test('name a worker that runs grouped jobs without a queue for them', async () => {
    const blockedGroups = async () => Promise.resolve({ groups: [], complete: true, readUnits: 1, withoutGroupQueue: ['mail'] });
    const other = await openConsole({ admin: { ...fixedDeployment(), blockedGroups } });
    const { text } = await other.get('/groups');
    await other.close();
    expect(text).toContain('Worker mail runs grouped jobs without a queue for them');
    expect(text).toContain('groups: true');
  });
});
