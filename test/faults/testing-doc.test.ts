import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FAULT_NAMES, kindOf } from '../../testing/faults/fault.ts';

const read = (...path: string[]): string => readFileSync(join(import.meta.dirname, ...path), 'utf8');
const page = read('..', '..', 'docs', 'guides', 'testing.md');
const section = page.slice(page.indexOf('## Faults under your own AWS clients'));
const blocks = [...section.matchAll(/^`([\w-]+(?:\.test)?\.ts)`[^\n]*\n\n```ts\n([\s\S]*?)```/gm)].map(([, name = '', text = '']) => ({
  name,
  text,
}));

test('docs/guides/testing.md shows the handler and the test that run here', () => {
  expect(blocks.map(({ name }) => name)).toEqual(['count-sale.ts', 'count-sale.test.ts']);
});

test.each(blocks)('$name is word by word what runs here, but for where the package lies', ({ name, text }) => {
  expect(text).toBe(read('own-handlers', name).replace('../../../testing/index.ts', 'nightcrew/testing'));
});

test('docs/guides/testing.md names each fault once, with what it hits', () => {
  const rows = [...page.matchAll(/^\| `([a-z-]+)` \| (attempt|call) \|/gm)].map(([, name, hits]) => ({ name, hits }));
  expect(rows.toSorted((a, b) => String(a.name).localeCompare(String(b.name)))).toEqual(
    FAULT_NAMES.map((name) => ({ name, hits: kindOf(name).hits })).toSorted((a, b) => a.name.localeCompare(b.name)),
  );
});
