import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { costDoc, readmeWithCost } from '../../scripts/generate-cost-doc.ts';
import { fromRoot } from './source-files.ts';

test('docs/operate/costs.md is what counts and prices say (npm run docs writes it)', () => {
  const page = readFileSync(fromRoot('docs/operate/costs.md'), 'utf8');
  expect(costDoc(page)).toBe(page);
});

describe('the README', () => {
  const readme = readFileSync(fromRoot('README.md'), 'utf8');

  test('has the month that counts and prices say (npm run docs writes it)', () => expect(readmeWithCost(readme)).toBe(readme));

  test('is not written where the comments are gone', () => {
    expect(() => readmeWithCost(readme.replace('<!-- /month -->', ''))).toThrow('no section');
  });
});
