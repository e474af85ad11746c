import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { encodeEnvironment } from '../../../shared/config/environment.ts';
import { freshQueues, freshTables } from '../../support/emulators.ts';
import type { InstalledPackage } from './installed-package.ts';
import { localAws } from './local-aws.ts';

/** The bundle of the command line and its console, without the packages that are in it. */
export function commandLineTests(project: () => InstalledPackage): void {
  test('is a program', async () => {
    const folder = join(project().folder, 'node_modules/nightcrew');
    const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly bin: Record<string, string> };
    const program = join(folder, bin['nightcrew'] ?? '');
    expect(readFileSync(program, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    const { stdout } = await project().run(process.execPath, [program, 'external', '--help']);
    expect(stdout).toContain('nightcrew external fetch');
  });

  test('starts the console, with its style sheets', async () => {
    const { names } = await freshTables();
    const { workers } = await freshQueues({ default: { lanes: ['default'] } });
    const program = join(project().folder, 'node_modules/nightcrew/dist/cli/nightcrew.js');
    const { stdout } = await project().run(process.execPath, ['serve-console.mjs', program], {
      ...encodeEnvironment({ tables: names, workers: Object.fromEntries(workers) }),
      ...(await localAws()),
    });
    expect(JSON.parse(stdout)).toEqual(['200 text/html; charset=UTF-8', '200 text/css; charset=utf-8']);
  });
}
