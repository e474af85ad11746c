import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

const { dependencies, peerDependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as Manifest;

describe('a dependency of the package', () => {
  test.each(Object.entries(dependencies))('is a range, so that an application with another release has one copy: %s %s', (_, range) => {
    expect(range).toMatch(/^\^\d/);
  });

  test('has the range of its peers, if it is a client of the SDK: two of different releases share their core', () => {
    const ranges = Object.entries({ ...dependencies, ...peerDependencies }).filter(([name]) => name.startsWith('@aws-sdk/'));
    expect(new Set(ranges.map(([, range]) => range)).size).toBe(1);
  });
});
