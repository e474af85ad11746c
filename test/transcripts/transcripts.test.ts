import { describe, expect, it } from 'vitest';
import { VERBS } from '../proofs/orders/verbs/verbs.ts';
import { pagesThere, writtenDown } from './pages.ts';
import { sectionOf, statesOf } from './sections.ts';

describe.each(VERBS)('$name', (verb) => {
  it.each(statesOf(verb))('asks its store and queues for what is written down, for a job that is %s', async (state) => {
    expect(await sectionOf(verb, state)).toBe(writtenDown(verb, state));
  });
});

describe('the transcripts', () => {
  it('have a page for each verb, and no other', () => {
    expect(pagesThere().toSorted()).toEqual(VERBS.map(({ name }) => name).toSorted());
  });
});
