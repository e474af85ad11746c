import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { convertScans } from '../../examples/outside-worker/convert-scans.ts';
import { convertScan, trainModel } from '../../examples/outside-worker/jobs.ts';
import { startRegion } from '../../local/region.ts';
import { createJobClient } from '../../shared/index.ts';
import { silentJournal } from '../../shared/adapters/observability/silent-journal.ts';
import { external } from '../../functions/index.ts';
import { boundFork } from '../support/bound-fork.ts';
import { WAIT } from '../support/patience.ts';

const MACHINE = join(import.meta.dirname, '../../examples/outside-worker/machine.ts');

test('a machine trains a model, foreign code converts scans, and a stop signal ends the machine', async () => {
  const workers = { gpu: { outside: true, groups: false }, scanner: { outside: true, groups: false } };
  const region = await startRegion({ workers, hostEnvironment: {}, journal: silentJournal });
  const env = { ...process.env, ...region.workerEnvironment('gpu') };
  const machine = boundFork(MACHINE, [], { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  try {
    const exit = once(machine, 'exit');
    const jobs = createJobClient({ environment: region.environment, journal: silentJournal });
    const { id } = await jobs.enqueue(trainModel, { epochs: 5 });
    for (const file of ['a.tiff', 'b.broken', 'c.smudged']) await jobs.enqueue(convertScan, { file });
    const told = await convertScans(external('scanner', { environment: region.workerEnvironment('scanner'), types: [convertScan] }));
    expect(told.toSorted()).toEqual(['a.tiff: completed', 'b.broken: dead', 'c.smudged: completed', 'c.smudged: retried']);
    await vi.waitFor(async () => expect(await jobs.get(id)).toMatchObject({ state: 'finished', outcome: 'completed' }), WAIT);
    machine.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  } finally {
    machine.kill('SIGKILL');
    await region.stop(0);
  }
});
