import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { optionsDoc } from '../../scripts/generate-options-doc.ts';
import { fromRoot } from './source-files.ts';

test('docs/reference/options.md is what the interfaces say (npm run docs writes it)', () => {
  expect(readFileSync(fromRoot('docs/reference/options.md'), 'utf8')).toBe(optionsDoc());
});
