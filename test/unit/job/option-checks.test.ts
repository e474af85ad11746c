import { describe, expect, it } from 'vitest';
import { checkedInUse, checkEachOption, checkFunction, checkValues, listOf, withMethods } from '../../../shared/job/option-checks.ts';

describe('checks of options', () => {
  const seen: unknown[] = [];
  const note = (field: string, value: unknown): void => void seen.push([field, value]);
  const checked = (options: object, path?: string): readonly unknown[] => {
    seen.length = 0;
    checkValues(options, { on: note, size: note, other: checkedInUse }, path);
    return [...seen];
  };

  it('are called for each option that is given, with its path', () => {
    expect(checked({ on: false, size: null })).toEqual([
      ['on', false],
      ['size', null],
    ]);
    expect(checked({ size: 0 }, 'lane.')).toEqual([['lane.size', 0]]);
  });

  it('are not called for an option that is undefined, and leave names without a check to the caller', () => {
    expect(checked({ on: undefined, unknown: 1, other: 2 })).toEqual([]);
  });
});

describe('options of a call', () => {
  const checks = { on: checkFunction, all: listOf(checkFunction), sink: withMethods(['put', 'end'], 'Give a sink.') };
  const put = (): void => {};

  it('are taken where they are right, or left out', () => {
    const options = { on: put, all: [put, put], sink: { put, end: put } };
    for (const given of [{}, options, { on: undefined, all: [] }]) expect(() => checkEachOption(given, checks)).not.toThrow();
  });

  it.each<readonly [unknown, string]>([
    [null, 'options: null is not valid. Give an object of options.'],
    [[], 'options: an array is not valid. Give an object of options.'],
    [{ no: put }, 'options: "no" is not valid. Known are: on, all, sink.'],
    [{ toString: put }, 'options: "toString" is not valid.'],
    [{ on: {} }, 'on: an object is not valid. Give a function.'],
    [{ all: put }, 'all: a function is not valid. Give an array.'],
    [{ all: [put, null] }, 'all[1]: null is not valid. Give a function.'],
    [{ sink: { put } }, 'sink: an object is not valid. Give a sink.'],
    [{ sink: { put, end: 5 } }, 'sink: an object is not valid. Give a sink.'],
    [{ sink: null }, 'sink: null is not valid. Give a sink.'],
  ])('are refused with field, value and fix: %o', (options, message) => {
    expect(() => checkEachOption(options, checks)).toThrow(message);
  });
});
