import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PACKAGE_VERSION } from '../../../shared/config/package-version.ts';

test('the version that processes tell is that of the package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string };
  expect(PACKAGE_VERSION).toBe(version);
});
