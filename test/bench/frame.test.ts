import { describe, expect, test } from 'vitest';
import type { BenchPlan } from '../../bench/frame/bench.ts';
import { interleave } from '../../bench/frame/interleave.ts';
import { compared, measured } from '../../bench/frame/measurement.ts';
import { missingFigures } from '../../bench/frame/missing-figures.ts';
import { measurementTable } from '../../bench/frame/measurement-table.ts';
import { progressBar } from '../../bench/frame/progress-bar.ts';
import { changeTable, ratioChanges } from '../../bench/page/kept-ratios.ts';
import type { Machine } from '../../bench/frame/machine.ts';
import type { BenchReport } from '../../bench/frame/report.ts';
import { quantile, spreadOf } from '../../bench/frame/spread.ts';
import { readOptions, UsageError } from '../../bench/options.ts';

const PLAN: BenchPlan = { rounds: 3, short: true, scenarios: [], progress: () => {} };

describe('a spread', () => {
  test('is minimum, median and maximum, whatever the order', () => {
    expect(spreadOf([5, 1, 3])).toEqual({ min: 1, median: 3, max: 5 });
    expect(spreadOf([4, 1, 3, 2])).toEqual({ min: 1, median: 2.5, max: 4 });
  });

  test('of nothing, or of what is no number, is an error', () => {
    expect(() => spreadOf([])).toThrow('one at least');
    expect(() => spreadOf([1, Number.NaN])).toThrow('needs numbers');
  });

  test('has quantiles by nearest rank', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
    expect([0.5, 0.95, 0.99, 1].map((share) => quantile(hundred, share))).toEqual([50, 95, 99, 100]);
  });
});

describe('a measurement', () => {
  test('of two sides is judged by the median of the ratios of its rounds, not by the ratio of the medians', () => {
    const target = { at: 'most', value: 1.15 } as const;
    const one = compared({ id: 'x', what: 'work', unit: 'ms', baselineName: 'bare', target }, [1, 10, 2], [1, 5, 2]);
    expect(one.ratio).toEqual({ min: 1, median: 1, max: 2 });
    expect(one.met).toBe(true);
    expect(compared({ id: 'x', what: 'work', unit: 'ms', baselineName: 'bare', target }, [2, 2, 2], [1, 1, 1]).met).toBe(false);
  });

  test('without a target is not judged', () => {
    expect(measured({ id: 'x', what: 'work', unit: 'ms' }, [1])).not.toHaveProperty('met');
  });

  test('that misses its target says so in the table', () => {
    const missed = measured({ id: 'x', what: 'work', unit: 'ms', target: { at: 'least', value: 2 } }, [1]);
    expect(measurementTable('bench', { measurements: [missed] })).toContain('at least 2: MISSED');
  });

  test('with rounds on one side alone is an error', () => {
    expect(() => compared({ id: 'x', what: 'work', unit: 'ms', baselineName: 'bare' }, [1, 2], [1])).toThrow('2 rounds');
  });
});

test('the sides take turns, in an order that turns too, after a round that is thrown away', async () => {
  const order: string[] = [];
  const side = (name: string) => (round: number) => {
    order.push(`${name}${round}`);
    return Promise.resolve({ ms: round });
  };
  const rounds = await interleave(PLAN, { ours: side('a'), bare: side('b') });
  expect(order).toEqual(['b-1', 'a-1', 'a0', 'b0', 'b1', 'a1', 'a2', 'b2']);
  expect(rounds).toEqual({ ours: { ms: [0, 1, 2] }, bare: { ms: [0, 1, 2] } });
});

test('without a terminal the progress is a line when a bench begins', () => {
  const lines: string[] = [];
  const bar = progressBar({ write: (text) => lines.push(text) });
  bar.show('cost', 0, 'a');
  bar.show('cost', 0.5, 'b');
  bar.show('scale', 0, 'a');
  bar.end();
  expect(lines).toEqual(['bench: cost\n', 'bench: scale\n']);
});

describe('the command line', () => {
  test('runs every bench in five rounds when nothing is said, and one in the short form', () => {
    expect(readOptions([])).toMatchObject({ rounds: 5, short: false, save: false });
    expect(readOptions(['--short'])).toMatchObject({ rounds: 1, short: true, compare: true });
    expect([['--short', '--no-compare'], []].map((args) => readOptions(args).compare)).toEqual([false, false]);
    expect(readOptions(['scale', 'cost']).benches).toEqual(['cost', 'scale']);
  });

  test.each([
    [['nope'], '"nope" is not a bench'],
    [['--rounds', '0'], '--rounds "0" is not valid'],
    [['--jobs', '1e9'], '--jobs "1e9" is not valid'],
    [['--share', 'half'], '"half" is not a share'],
    [['--scenario', 'x'], '"x" is not a scenario'],
    [['--fast'], 'fast'],
    [['--save', '--short'], '--save keeps full runs'],
    [['--save', '--rounds', '2'], '--save keeps full runs'],
    [['--save', '--share', 'tenth'], '--save keeps full runs'],
    [['--save', 'cost'], '--save keeps full runs'],
  ])('refuses %j', (args, message) => {
    expect(() => readOptions(args)).toThrow(UsageError);
    expect(() => readOptions(args)).toThrow(message);
  });
});

/** A report of measurements by bench. */
const report = (benches: Record<string, readonly ReturnType<typeof measured>[]>, machine: Partial<Machine> = {}): BenchReport => ({
  date: '2026-01-01T00:00:00.000Z',
  short: true,
  rounds: 1,
  machine: { cpu: 'any', cores: 2, memoryGb: 1, os: 'linux x64 6.1', versions: {}, ...machine },
  tookSeconds: 1,
  benches: Object.fromEntries(Object.entries(benches).map(([name, measurements]) => [name, { what: name, measurements, tookSeconds: 1 }])),
});

test('a figure that a kept report has and this run has not is named, for the benches that ran', () => {
  const one = (id: string, value = 1) => measured({ id, what: 'work', unit: 'ms' }, [value]);
  const kept = report({ cost: [one('cost.a'), one('cost.b'), one('cost.c')], peers: [one('peers.a')] });
  expect(missingFigures(kept, report({ cost: [one('cost.a'), one('cost.b', Number.POSITIVE_INFINITY)] }))).toEqual(['cost.b', 'cost.c']);
});

describe('the ratios of a run beside those of the kept run', () => {
  const ratio = (id: string, at: 'most' | 'least', value: number) =>
    compared({ id, what: 'work', unit: 'ms', baselineName: 'bare', target: { at, value: 1 } }, [value], [1]);
  const kept = report({ a: [ratio('a.cost', 'most', 1), ratio('a.rate', 'least', 1), ratio('a.gone', 'most', 1)] });

  test.each([
    [1.1, 0.9, []],
    [1.11, 0.9, ['a.cost']],
    [1.1, 0.89, ['a.rate']],
    [0.5, 2, []],
  ])('are worse by more than a tenth at a cost of %d and a rate of %d', (cost, rate, worse) => {
    const now = report({ a: [ratio('a.cost', 'most', cost), ratio('a.rate', 'least', rate), ratio('a.new', 'most', 9)] });
    const changes = ratioChanges(kept, now) ?? [];
    expect(changes.map(({ id, now: value }) => [id, value])).toEqual([
      ['a.cost', cost],
      ['a.rate', rate],
    ]);
    expect(changes.filter(({ isWorse }) => isWorse).map(({ id }) => id)).toEqual(worse);
  });

  test('are those that have a target, which says what is worse', () => {
    const aimless = report({ a: [compared({ id: 'a.cost', what: 'work', unit: 'ms', baselineName: 'bare' }, [9], [1])] });
    expect(ratioChanges(aimless, aimless)).toEqual([]);
  });

  test('are compared on another kernel and not on another processor', () => {
    const on = (machine: Partial<Machine>) => ratioChanges(kept, report({ a: [ratio('a.cost', 'most', 1)] }, machine));
    expect(on({ os: 'linux x64 6.9', memoryGb: 64 })).toHaveLength(1);
    expect([{ cpu: 'other' }, { cores: 4 }, { os: 'linux arm64 6.1' }].map(on)).toEqual([undefined, undefined, undefined]);
  });

  test('are a table that marks what is worse', () => {
    expect(changeTable(ratioChanges(kept, report({ a: [ratio('a.cost', 'most', 1.5), ratio('a.rate', 'least', 0.95)] })) ?? [])).toBe(
      [
        '  ratios                                        kept       now    change',
        '  a.cost                                           1       1.5     +50 %   WORSE',
        '  a.rate                                           1      0.95      -5 %',
      ].join('\n'),
    );
  });
});
