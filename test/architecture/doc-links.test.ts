import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { fromRoot } from './source-files.ts';

const DOCS = readdirSync(fromRoot('docs'), { recursive: true, encoding: 'utf8' })
  .map((name) => `docs/${name.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.md'));
const PAGES = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', ...DOCS];
/** npm adds the first three by itself. */
const PACKED: readonly string[] = [
  'README.md',
  'LICENSE',
  'package.json',
  ...JSON.parse(readFileSync(fromRoot('package.json'), 'utf8')).files,
];
const FENCE = /^(`{3,}|~{3,}).*\n[\s\S]*?^\1.*$/gm;

const read = (path: string): string => readFileSync(fromRoot(path), 'utf8');
const withoutCode = (text: string): string => text.replaceAll(FENCE, '').replaceAll(/`[^`\n]*`/g, '');

/** The targets of links and pictures, without those on the web. */
function linksOf(path: string): readonly string[] {
  return [...withoutCode(read(path)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors that GitHub gives to the headings of a page. */
function anchorsOf(path: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of read(path)
    .replaceAll(FENCE, '')
    .matchAll(/^#{1,6} (.+)$/gm)) {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    for (let count = 0; ; count++) {
      const numbered = count === 0 ? anchor : `${anchor}-${count}`;
      if (anchors.has(numbered)) continue;
      anchors.add(numbered);
      break;
    }
  }
  return anchors;
}

/** Undefined if the link resolves. */
function problemOf(page: string, target: string): string | undefined {
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? page : posix.join(posix.dirname(page), file);
  if (!existsSync(fromRoot(path))) return `${target}: no such file`;
  return anchor === undefined || anchorsOf(path).has(anchor) ? undefined : `${target}: no such heading`;
}

test.each(PAGES)('%s links only to files and headings that exist', (page) => {
  expect(linksOf(page).flatMap((target) => problemOf(page, target) ?? [])).toEqual([]);
});

test.each(PAGES)('%s links only to what the package holds', (page) => {
  const paths = linksOf(page).map((target) => posix.join(posix.dirname(page), target.split('#')[0] || posix.basename(page)));
  expect(paths.filter((path) => !PACKED.some((place) => path === place || path.startsWith(`${place}/`)))).toEqual([]);
});

test('a broken link is found', () => {
  expect(problemOf('README.md', 'docs/nowhere.md')).toBe('docs/nowhere.md: no such file');
  expect(problemOf('README.md', 'docs/README.md#nowhere')).toBe('docs/README.md#nowhere: no such heading');
  expect(problemOf('README.md', 'docs/README.md#guides')).toBeUndefined();
});

test('docs/README.md lists each page exactly once', () => {
  const listed = linksOf('docs/README.md')
    .map((target) => posix.join('docs', target))
    .filter((path) => path.startsWith('docs/'));
  const pages = DOCS.filter((path) => path !== 'docs/README.md' && (!path.startsWith('docs/decisions/') || path.endsWith('/README.md')));
  expect(listed.toSorted()).toEqual(pages.toSorted());
});
