import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { expect, it } from 'vitest';
import { defineJob } from '../../shared/job/job-type.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { fromRoot } from './source-files.ts';

const PRODUCT = /\/((?:functions|shared)\/(?!adapters\/memory\/).+\.ts)$/;

/** The product files in which a function is called meanwhile. */
async function filesEntered(work: () => Promise<void>): Promise<readonly string[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true });
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  const entered = result.filter(({ functions }) => functions.some(({ ranges: [range] }) => (range?.count ?? 0) > 0));
  return entered.flatMap(({ url }) => PRODUCT.exec(url)?.[1] ?? []).toSorted();
}

it('a plain job enters about as many files, from its message to its recorded end, as the page of the architecture says', async () => {
  const plain = defineJob('plain', { payload: anyPayload });
  const rig = new Rig({ handlers: [plain.handle(() => undefined)] });
  const { id } = await rig.client.enqueue(plain, {});
  const entered = await filesEntered(() => rig.drain());
  expect(await rig.client.get(id)).toMatchObject({ outcome: 'completed' });
  expect(entered).toContain('shared/store/complete.ts');
  const [, stated] = /about (\d+) files/.exec(readFileSync(fromRoot('docs/reference/architecture.md'), 'utf8')) ?? [];
  expect(Math.abs(entered.length - Number(stated)), `${entered.length} files: ${entered.join(' ')}`).toBeLessThanOrEqual(5);
});
