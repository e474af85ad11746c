import { describe, expect, it } from 'vitest';
import { RECORDED, recordedOf, transcriptsOf, WRITING_VERBS } from './pages.ts';
import { statesOf } from './situations.ts';

// A test for each state: a mutant is judged by the few that reach it.
describe.each(WRITING_VERBS)('$name', (verb) => {
  it.each(statesOf(verb))('requests what is recorded, for a job that is %s', async (state) => {
    expect(await transcriptsOf(verb, state)).toEqual(recordedOf(verb, state));
  });
});

describe('the transcripts', () => {
  it('have a page for each verb that writes, and no other', () => {
    expect([...RECORDED.keys()].toSorted()).toEqual(WRITING_VERBS.map(({ name }) => name).toSorted());
  });

  it('have at most 5,000 lines', () => {
    expect([...RECORDED.values()].join('').trimEnd().split('\n').length).toBeLessThanOrEqual(5_000);
  });
});
