import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { costDoc } from '../../scripts/generate-cost-doc.ts';
import { fromRoot } from './source-files.ts';

test('docs/what-it-costs.md is what counts and prices say (npm run docs writes it)', () => {
  expect(readFileSync(fromRoot('docs/what-it-costs.md'), 'utf8')).toBe(costDoc());
});
