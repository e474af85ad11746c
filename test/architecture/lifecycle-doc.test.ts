import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { lifecycleDoc } from '../../scripts/generate-lifecycle-doc.ts';
import { STATES, TRANSITIONS, waysOf } from '../../shared/job/transitions.ts';
import { fromRoot } from './source-files.ts';

const page = readFileSync(fromRoot('docs/reference/lifecycle.md'), 'utf8');

describe('docs/reference/lifecycle.md', () => {
  test('is what the transition table says (npm run docs writes it)', () => expect(page).toBe(lifecycleDoc()));

  test('shows each state and each verb', () => {
    for (const state of Object.keys(STATES)) expect(page).toContain(`| ${state} | `);
    for (const { verb } of TRANSITIONS) expect(page).toContain(`| ${verb} | `);
  });

  test('draws each transition once', () => {
    const drawn =
      /```mermaid\n([\s\S]*?)```/
        .exec(page)?.[1]
        ?.split('\n')
        .filter((line) => line.includes(' : ')) ?? [];
    const arrows = drawn.map((line) => line.split(' : ')[0]);
    expect(arrows).toEqual([...new Set(arrows)]);
    const pairs = TRANSITIONS.flatMap((transition) => waysOf(transition).map((way) => ({ verb: transition.verb, ...way })));
    for (const { verb, source, target } of pairs) {
      const arrow = drawn.find((line) => line.trim().startsWith(`${source === 'none' ? '[*]' : source} --> ${target} :`));
      expect(arrow?.split(' : ')[1]?.split(', ')).toContain(verb);
    }
  });
});
