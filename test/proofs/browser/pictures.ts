/** `npm run pictures`: the pictures of the console in docs/images, for the README and docs/operate/console.md. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { jobsInEveryState } from '../../console/jobs-in-every-state.ts';
import { NOW } from '../../console/fixed-deployment.ts';
import { type OpenConsole, openConsole } from '../../console/open-console.ts';
import { readArguments, runCommand } from '../../../scripts/command-line.ts';
import { launchChromium } from './chromium.ts';
import { shownDeployment } from './shown-deployment.ts';
import { watchedPage } from './watched-page.ts';

const FOLDER = join(import.meta.dirname, '..', '..', '..', 'docs', 'images');

const USAGE = `Usage: npm run pictures

Takes the pictures of the console in docs/images with the Chromium of the system.
`;

await runCommand(USAGE, async (args) => {
  readArguments(args, {});
  mkdirSync(FOLDER, { recursive: true });

  const browser = await launchChromium();
  const whole = await openConsole({
    admin: shownDeployment(),
    now: () => NOW,
    place: { name: '123456789012 eu-west-1', production: true },
  });
  const jobs = await jobsInEveryState(60);
  const single = await openConsole({ admin: jobs.admin, now: () => jobs.kit.clock.now() });
  const { groups } = await jobs.admin.errorGroups();
  const relay = groups.find(({ errorName }) => errorName === 'TypeError');
  const picture = async (name: string, opened: OpenConsole, path: string, height: number): Promise<void> => {
    const watched = await watchedPage(browser, opened.newLink());
    const { page } = watched;
    await page.setViewportSize({ width: 1280, height });
    await page.goto(`${opened.origin}${path}`, { waitUntil: 'load' });
    await page.screenshot({ path: join(FOLDER, `${name}.png`) });
    await watched.close();
  };

  await picture('console-overview', whole, '/', 1_010);
  await picture('console-job', single, `/jobs/${relay?.sample}`, 1_100);
  await jobs.release();
  await Promise.all([browser.close(), whole.close(), single.close()]);
  return 0;
});
