import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const page = readFileSync(join(ROOT, 'docs', 'reference', 'emulators.md'), 'utf8');
const named = [...page.matchAll(/`(test\/[^`]+\.ts)`: '([^']+)'/g)].map(([, file = '', title = '']) => ({ file, title }));

test('every difference names a test', () => {
  const rows = page.split('| difference | test |')[1]?.trim().split('\n').slice(1) ?? [];
  expect(rows.length).toBeGreaterThan(5);
  for (const row of rows) expect(row).toMatch(/`test\/[^`]+\.ts`: '[^']+'/);
});

test.each(named)('$file has a test "$title"', ({ file, title }) => {
  expect(existsSync(join(ROOT, file))).toBe(true);
  expect(readFileSync(join(ROOT, file), 'utf8')).toContain(title);
});

test('every command on the page is a script of this package', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly scripts: Record<string, string> };
  const commands = [...page.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
  for (const name of commands) expect(Object.keys(scripts)).toContain(name);
});
