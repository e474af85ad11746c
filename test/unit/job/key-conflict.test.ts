import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '../../../shared/job/errors.ts';
import { checkKey } from '../../../shared/job/key-conflict.ts';

describe('checkKey', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['k', { value: 'k' }],
    [{ value: 'k' }, { value: 'k' }],
    [{ value: '', for: 'PT1H' }, undefined],
    [
      { value: 'k', for: 'PT1H' },
      { value: 'k', forMs: 3_600_000 },
    ],
    [
      { value: 'k', for: 'PT1H', onConflict: 'reject' },
      { value: 'k', forMs: 3_600_000 },
    ],
    [
      { value: 'k', onConflict: 'replace' },
      { value: 'k', conflict: { mode: 'replace' } },
    ],
    [
      { value: 'k', onConflict: 'keep-latest' },
      { value: 'k', conflict: { mode: 'keep-latest' } },
    ],
    [
      { value: 'k', onConflict: 'debounce', debounce: { wait: 'PT1S' } },
      { value: 'k', conflict: { mode: 'debounce', waitMs: 1000 } },
    ],
    [
      { value: 'k', onConflict: 'debounce', debounce: { wait: 'PT1S', maxWait: 'PT1S' } },
      { value: 'k', conflict: { mode: 'debounce', waitMs: 1000, maxWaitMs: 1000 } },
    ],
  ])('reads %j', (key, checked) => {
    expect(checkKey(key)).toEqual(checked);
  });

  it.each([
    [5, 'key'],
    [{ value: 5 }, 'key.value'],
    [{ value: 'k', onConfict: 'replace' }, 'key'],
    [{ value: 'k', onConflict: 'overwrite' }, 'key.onConflict'],
    [{ value: '', onConflict: 'replace' }, 'key.value'],
    [{ value: 'k', for: 'soon' }, 'key.for'],
    [{ value: 'k', for: 'PT1H', onConflict: 'replace' }, 'key.for'],
    [{ value: 'k', debounce: { wait: 'PT1S' } }, 'key.debounce'],
    [{ value: 'k', onConflict: 'replace', debounce: { wait: 'PT1S' } }, 'key.debounce'],
    [{ value: 'k', onConflict: 'debounce' }, 'key.debounce'],
    [{ value: 'k', onConflict: 'debounce', debounce: {} }, 'key.debounce.wait'],
    [{ value: 'k', onConflict: 'debounce', debounce: { wait: 'PT1S', max: 'PT1M' } }, 'key.debounce'],
    [{ value: 'k', onConflict: 'debounce', debounce: { wait: 'PT2S', maxWait: 'PT1S' } }, 'key.debounce.maxWait'],
  ])('refuses %j and names %s', (key, field) => {
    expect(() => checkKey(key)).toThrow(InvalidInputError);
    try {
      checkKey(key);
    } catch (error) {
      expect((error as InvalidInputError).field).toBe(field);
    }
  });
});
