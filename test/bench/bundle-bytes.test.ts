import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bundleFunctions } from '../../bench/cold-start/bundle-functions.ts';
import { TARGETS } from '../../bench/cold-start/targets.ts';

test('the bundles of the functions are no larger than their targets: npm run bench -- cold-start --json lists their bytes by group', () => {
  const folder = mkdtempSync(join(tmpdir(), 'nightcrew-bundles-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const bundles = bundleFunctions(folder);
  for (const name of ['executor', 'acquirer', 'sweeper'] as const) {
    const most = Math.floor((TARGETS[name]?.bytes ?? 0) * bundles.twoClients.bytes);
    expect(bundles[name].bytes, `${name}: ${JSON.stringify(bundles[name].groups)}`).toBeLessThanOrEqual(most);
  }
});
