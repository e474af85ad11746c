import { expect, it } from 'vitest';
import { fixCurrency } from '../../examples/patching-payloads/fix-currency.ts';

it('dead letters run with the payload that they were patched to, and the audit does not tell what that is', async () => {
  const story = await fixCurrency();
  expect(story[0]).toMatch(
    /^2 dead letters, one of them \{"invoice":"004\d","currency":"Euro"\} becomes \{"invoice":"004\d","currency":"EUR"\}$/,
  );
  expect(story[1]).toBe('done: 2 patched');
  expect(story.slice(2, 4).toSorted()).toEqual(['0041 charged in EUR', '0042 charged in EUR']);
  expect(story.at(-1)).toBe('audit: bulk patch, the shop sent Euro instead of EUR');
});
