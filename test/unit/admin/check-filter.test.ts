import { describe, expect, it } from 'vitest';
import { checkFilter } from '../../../shared/admin/jobs/check-filter.ts';
import { InvalidInputError } from '../../../shared/core/errors.ts';

describe('a filter', () => {
  it.each([
    [{ state: 'gone' }, /state.*waiting, parked/],
    [{ state: [] }, /state/],
    [{ type: 'no type' }, /type/],
    [{ typ: 'mail' }, /typ.*Known are/],
    [{ id: 'nonsense' }, /id/],
    [{ tenant: '' }, /tenant.*null/],
    [{ tenant: { prefix: '' } }, /prefix/],
    [{ tenant: { suffix: 'x' } }, /suffix/],
    [{ tenant: [] }, /tenant/],
    [{ group: '' }, /group.*at least one/],
    [{ group: 'x'.repeat(257) }, /group.*256/],
    [{ group: Array.from({ length: 51 }, (_, n) => `g${n}`) }, /group.*50/],
    [{ group: 7 }, /group/],
    [{ group: [undefined] }, /group/],
    [{ worker: 'No Worker' }, /worker/],
    [{ outcome: 'lost' }, /outcome.*completed/],
    [{ from: 'yesterday' }, /from/],
    [{ from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }, /to.*after/],
    [{ from: 5, to: 5 }, /to.*after/],
    [{ text: 'x'.repeat(257) }, /text/],
    [{ text: 7 }, /text/],
    [{ text: '' }, /text.*at least one/],
    [{ limit: 1 }, /limit/],
    [null, /filter/],
    ['dead', /filter/],
  ])('that makes no sense is refused by field, value and fix: %j', (filter, message) => {
    expect(() => checkFilter(filter as never)).toThrow(InvalidInputError);
    expect(() => checkFilter(filter as never)).toThrow(message);
  });

  it('means every state but finished, unless it asks for an outcome', () => {
    expect(checkFilter({}).states).toEqual(['waiting', 'parked', 'suspended', 'ready', 'running', 'dead']);
    expect(checkFilter({ outcome: 'completed' }).states).toEqual(['finished']);
    expect(checkFilter({ state: 'finished' }).states).toEqual(['finished']);
  });

  it('leaves the states in which its fields can be, and none where it contradicts itself', () => {
    expect(checkFilter({ fingerprint: 'x' }).states).toEqual(['dead']);
    expect(checkFilter({ cause: 'breakpoint' }).states).toEqual(['suspended']);
    expect(checkFilter({ reason: 'x' }).states).toEqual(['suspended', 'dead']);
    expect(checkFilter({ state: 'ready', fingerprint: 'x' }).states).toEqual([]);
    expect(checkFilter({ cause: 'breakpoint', outcome: 'completed' }).states).toEqual([]);
  });

  it('names something as soon as one of its fields has a value', () => {
    expect([{}, { type: undefined }].map((filter) => checkFilter(filter as never).namesSomething)).toEqual([false, false]);
    const naming = [{ state: 'dead' }, { tenant: null }, { from: 0 }, { id: '019b76da-a800-7e8d-8a2a-b3c624e3443e' }];
    expect(naming.map((filter) => checkFilter(filter as never).namesSomething)).toEqual([true, true, true, true]);
  });

  it('means by instants that no row can have the first or the last that one can', () => {
    const { from, to } = checkFilter({ from: new Date(-8.64e15), to: new Date(8.64e15) });
    expect([from, to]).toEqual([0, Date.UTC(9999, 0) - 1]);
  });

  it('takes one value for a list of one, and a value that is said twice once', () => {
    expect(checkFilter({ group: 'g' })).toEqual(checkFilter({ group: ['g', 'g'] }));
  });
});
