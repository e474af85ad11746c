import { describe, expect, it } from 'vitest';
import { checkFilter } from '../../../operate/jobs/check-filter.ts';
import type { JobFilter } from '../../../operate/jobs/job-filter.ts';
import { InvalidInputError } from '../../../shared/job/errors.ts';

describe('a filter', () => {
  it.each([
    [{ state: 'gone' }, /state.*waiting, parked/],
    [{ state: [] }, /state/],
    [{ type: 'no type' }, /type/],
    [{ typ: 'mail' }, /typ.*Did you mean type/],
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
    [{ kind: 'cron' }, /kind.*async, timer/],
    [{ priority: 'high' }, /priority.*min, max/],
    [{ priority: {} }, /priority.*min, max/],
    [{ priority: [1, 2] }, /priority.*min, max/],
    [{ priority: { min: 1, most: 2 } }, /priority.*min, max/],
    [{ failures: 1.5 }, /failures.*whole/],
    [{ attempts: { min: '1' } }, /attempts\.min.*whole/],
    [{ failures: { min: 3, max: 2 } }, /failures\.max.*below/],
    [{ triesLeft: 1 }, /triesLeft.*failures/],
    [{ createdFrom: 5, createdTo: 5 }, /createdTo.*after `createdFrom`/],
    [{ createdFrom: 'yesterday' }, /createdFrom/],
    [{ hasError: 'yes' }, /hasError.*true or false/],
    [{ or: { type: 'a' } }, /or.*list of filters/],
    [{ or: [] }, /or.*list of filters/],
    [{ or: [{}] }, /or.*each filter a field/],
    [{ or: [{ type: undefined }] }, /or.*each filter a field/],
    [{ or: [{ or: [{ type: 'a' }] }] }, /or.*Known are/],
    [{ or: [{ typ: 'a' }] }, /typ/],
    [{ or: [{ type: 'no type' }] }, /type/],
    [{ or: Array.from({ length: 21 }, () => ({ type: 'a' })) }, /or.*20/],
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

  it('with alternatives leaves the states in which one of them can be: those that are asked for, or that it asks for itself', () => {
    const states = (filter: JobFilter) => checkFilter(filter).states;
    expect(states({ or: [{ type: 'a' }, { group: 'g' }] })).toEqual(['waiting', 'parked', 'suspended', 'ready', 'running', 'dead']);
    expect(states({ or: [{ fingerprint: 'x' }, { lockOwner: 'run/x' }] })).toEqual(['ready', 'running', 'dead']);
    expect(states({ or: [{ outcome: 'completed' }, { state: 'dead' }] })).toEqual(['dead', 'finished']);
    expect(states({ state: 'finished', or: [{ type: 'a' }] })).toEqual(['finished']);
    expect(states({ state: 'ready', or: [{ state: 'dead' }] })).toEqual([]);
    expect(states({ cause: 'breakpoint', or: [{ type: 'a' }, { outcome: 'completed' }] })).toEqual(['suspended']);
  });

  it('names something as soon as one of its fields has a value', () => {
    expect([{}, { type: undefined }].map((filter) => checkFilter(filter as never).namesSomething)).toEqual([false, false]);
    const naming = [
      { or: [{ type: 'a' }] },
      { hasError: false },
      { priority: 0 },
      { state: 'dead' },
      { tenant: null },
      { from: 0 },
      { id: '019b76da-a800-7e8d-8a2a-b3c624e3443e' },
    ];
    expect(naming.map((filter) => checkFilter(filter as never).namesSomething)).toEqual(naming.map(() => true));
  });

  it('means by instants that no row can have the first or the last that one can', () => {
    const { from, to } = checkFilter({ from: new Date(-8.64e15), to: new Date(8.64e15) });
    expect([from, to]).toEqual([0, Date.UTC(9999, 0) - 1]);
  });

  it('takes one value for a list of one, and a value that is said twice once', () => {
    expect(checkFilter({ group: 'g' })).toEqual(checkFilter({ group: ['g', 'g'] }));
  });
});
