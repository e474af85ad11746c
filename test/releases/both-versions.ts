import { type keptReleases, today } from './kept-release.ts';
import { SharedDeployment, type Version } from './shared-deployment.ts';

/** A deployment on which both versions work. `a` and `b` are the two, in the order of the test. */
export async function both(release: ReturnType<typeof keptReleases>[number], first: 'earlier' | 'today') {
  const shared = await SharedDeployment.open();
  const versions = { earlier: shared.version('earlier', release.load()), today: shared.version('today', today) };
  const [a, b] = first === 'earlier' ? [versions.earlier, versions.today] : [versions.today, versions.earlier];
  return { shared, a, b };
}

/** Delivers until no message is visible. */
export async function drain(version: Version): Promise<void> {
  for (let round = 0; round < 50; round++) if ((await version.deliver()) === 0) return;
  throw new Error('The queues did not run dry in 50 rounds.');
}
