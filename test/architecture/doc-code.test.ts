import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fromRoot } from './source-files.ts';

/** A block after "From [path](link)" is part of that file, word by word. */
const QUOTED = /^From \[([\w/.-]+)\]\([^)]+\)[^\n]*:\n\n```ts\n([\s\S]*?)```/gm;

const BLOCKS = readdirSync(fromRoot('docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .flatMap((name) =>
    [...readFileSync(fromRoot(`docs/${name}`), 'utf8').matchAll(QUOTED)].map(([, path = '', code = '']) => ({
      name,
      path,
      code,
      start: code.trim().split('\n')[0] ?? '',
    })),
  );

test.each(BLOCKS)('docs/$name shows a part of $path: $start', ({ path, code }) => {
  expect(readFileSync(fromRoot(path), 'utf8')).toContain(code);
});

test('pages show parts of files that are compiled and run', () => expect(BLOCKS.length).toBeGreaterThan(5));
