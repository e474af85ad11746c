import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { WRITE_UNITS } from '../../cli/cost/unit-counts.ts';
import { CAPABILITIES, openRig } from './capabilities.ts';

/** What docs/operate/costs.md says: write units of one job, from enqueue to its end. */
const [SECTION = ''] = readFileSync('docs/operate/costs.md', 'utf8').split('<!-- costs:');
const PAGE = new Map([...SECTION.matchAll(/^\| ([^|]+) \| (\d+) \|/gm)].map(([, name = '', units]) => [name.trim(), Number(units)]));

describe('the cost of a job, in write units', () => {
  test.each(CAPABILITIES)('is what the page says for: $name', async ({ name, run }) => {
    expect(await run(openRig)).toBe(PAGE.get(name));
  });

  test('is listed for every capability and nothing else', () => {
    expect([...PAGE.keys()]).toEqual(CAPABILITIES.map(({ name }) => name));
  });

  test('is what `nightcrew cost` computes with', () => expect([...PAGE]).toEqual(Object.entries(WRITE_UNITS)));
});
