import { globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROJECTS, SLOW_PROJECTS } from './projects.ts';
import { HUNTED, PROOFS } from './proofs.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const filesOf = (patterns: readonly string[]): readonly string[] => patterns.flatMap((pattern) => globSync(pattern, { cwd: ROOT }));

/** Test files by the names of the projects that run them. */
function runBy(): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, readonly string[]>();
  for (const { name, include, exclude = [] } of PROJECTS) {
    const left = new Set(filesOf(exclude));
    for (const file of filesOf(include)) if (!left.has(file)) names.set(file, [...(names.get(file) ?? []), name]);
  }
  return names;
}

describe('the projects of the tests', () => {
  test('run each test file, and none but the flows and races twice', () => {
    const names = runBy();
    const files = filesOf(['test/**/*.test.ts']).filter((file) => !file.startsWith(join('test', 'proofs', 'browser')));
    const often = (file: string): number => (/^test.(features.[^/\\]+.)?(flow|race)\b/.test(file) ? 2 : 1);
    expect(files.filter((file) => names.get(file)?.length !== often(file))).toEqual([]);
  });

  test('name only files that there are', () => {
    const patterns = PROJECTS.flatMap(({ include, exclude = [] }) => [...include, ...exclude]);
    expect(patterns.filter((pattern) => filesOf([pattern]).length === 0)).toEqual([]);
  });

  test('are a proof each, except for those that npm test runs', () => {
    expect(PROJECTS.map(({ name }) => name).filter((name) => !name.startsWith('fast'))).toEqual(SLOW_PROJECTS);
    expect([...PROOFS, ...HUNTED].map(({ name }) => name)).toEqual(expect.arrayContaining([...SLOW_PROJECTS]));
  });
});
