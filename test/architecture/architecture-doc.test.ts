import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { featureNames, fromRoot, importsOf, sourceFiles } from './source-files.ts';

const PAGE = 'docs/reference/architecture.md';
const files = new Map(sourceFiles().map((file) => [file.path, file]));

/** The files that the numbered list under each heading names, in order. */
const paths = readFileSync(fromRoot(PAGE), 'utf8')
  .split(/^## /m)
  .map((section) => ({
    heading: section.split('\n')[0] ?? '',
    names: [...section.slice(section.search(/^1\. /m)).matchAll(/`(\w+\/[\w./-]+\.ts)`/g)].map(([, name = '']) => name),
  }))
  .filter(({ names }) => names.length > 1);

it('is drawn on the page of the architecture, as five paths', () => expect(paths).toHaveLength(5));

it.each(paths)('$heading: each file is imported by one before it', ({ names }) => {
  const strangers = names.slice(1).filter((name, index) => {
    const before = names.slice(0, index + 1).flatMap((one) => importsOf(files.get(one) ?? { path: one, text: '' }));
    return !before.some(({ target }) => target === name);
  });
  expect(strangers).toEqual([]);
});

it('a job passes at most twelve files and the list of gates from its message to its recorded outcome', () => {
  const { names = [] } = paths.find(({ heading }) => heading === 'A job runs') ?? {};
  const recorded = names.slice(0, names.indexOf('shared/store/complete.ts') + 1);
  expect(recorded).toContain('functions/executor/gates/gates.ts');
  expect(recorded.length).toBeGreaterThan(5);
  expect(recorded.length).toBeLessThanOrEqual(12 + 1);
});

it('names files that there are', () => {
  const named = [...readFileSync(fromRoot(PAGE), 'utf8').matchAll(/`(\w+\/[\w./-]+\.ts)`/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((name) => !files.has(name))).toEqual([]);
});

it('describes each feature in a sentence', () => {
  const described = [...readFileSync(fromRoot(PAGE), 'utf8').matchAll(/^- \*\*([\w-]+)\*\* .+\.$/gm)].map(([, name]) => name);
  expect(described).toEqual(featureNames());
});
