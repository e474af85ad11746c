import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidConfigurationError } from '../../../shared/job/errors.ts';
import { checkLanes, laneBounds, laneInUse, laneOf, laneOfJob, type LaneRange, lanesByUrgency } from '../../../shared/job/lanes.ts';

const priority = fc.oneof(fc.integer({ min: -20, max: 20 }), fc.maxSafeInteger());

/** Ranges that take every priority once, in any order of their names. */
const partition = fc
  .uniqueArray(fc.integer({ min: -15, max: 15 }), { maxLength: 5 })
  .chain((cuts) => {
    const starts = [undefined, ...cuts.toSorted((a, b) => a - b)];
    const ranges = starts.map((from, index): [string, LaneRange] => {
      const next = starts[index + 1];
      return [`lane-${index}`, { ...(from === undefined ? {} : { from }), ...(next === undefined ? {} : { to: next - 1 }) }];
    });
    return fc.shuffledSubarray(ranges, { minLength: ranges.length });
  })
  .map((entries) => Object.fromEntries(entries));

const takes = ({ from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }: LaneRange, value: number): boolean =>
  from <= value && value <= to;

const withQueues = (ranges: Readonly<Record<string, LaneRange>>, timers = false) => ({
  lanes: { ...Object.fromEntries(Object.keys(ranges).map((lane) => [lane, 'url'])), ...(timers ? { timers: 'url' } : {}) },
  from: laneBounds(ranges, 'lanes'),
});

describe('the lanes of a worker', () => {
  test('take each priority in the one lane whose range holds it', () => {
    fc.assert(
      fc.property(partition, priority, fc.boolean(), (ranges, value, timers) => {
        const lane = laneOf(value, withQueues(ranges, timers));
        expect(Object.keys(ranges).filter((one) => takes(ranges[one] ?? {}, value))).toEqual([lane]);
      }),
    );
  });

  test('are read from an environment as they were planned', () => {
    fc.assert(fc.property(partition, fc.boolean(), (ranges, timers) => checkLanes(withQueues(ranges, timers), 'workers.default')));
  });

  test('are refused exactly when a priority belongs to none or to two of them', () => {
    const range = fc.record({ from: fc.integer({ min: -3, max: 3 }), to: fc.integer({ min: -3, max: 3 }) }, { requiredKeys: [] });
    const some = fc
      .array(range, { minLength: 1, maxLength: 4 })
      .map((ranges) => Object.fromEntries(ranges.map((one, i) => [`l${i}`, one])));
    const values = Array.from({ length: 13 }, (_, index) => index - 6);
    fc.assert(
      fc.property(some, (ranges) => {
        const all = Object.values(ranges);
        const fit = values.every((value) => all.filter((one) => takes(one, value)).length === 1);
        const empty = all.some(({ from = -9, to = 9 }) => from > to);
        let refused = false;
        try {
          laneBounds(ranges, 'lanes');
        } catch (error) {
          refused = error instanceof InvalidConfigurationError;
        }
        expect(refused).toBe(!fit || empty);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    [{}, 'lanes: there is no lane.'],
    [{ urgent: { from: 10 }, default: { to: 8 } }, 'lanes.urgent.from: priority 9 belongs to no lane. Let it begin at 9.'],
    [{ urgent: { from: 10 }, default: { to: 5 } }, 'lanes.urgent.from: priorities 6 to 9 belong to no lane. Let it begin at 6.'],
    [
      { urgent: { from: 10 }, default: { to: 10 } },
      'lanes.urgent: default and urgent both take priority 10. Let default end earlier ({ to: 9 })',
    ],
    [{ urgent: { from: 10 }, default: {} }, 'lanes.urgent: default and urgent both take priority 10. Let default end earlier ({ to: 9 })'],
    [{ a: {}, b: {} }, 'lanes.b: a and b both take every priority. Give one of them a from, or make one lane of the two.'],
    [{ a: { to: 4 }, b: { to: 9 } }, 'lanes.b: a and b both take priority 4.'],
    [{ a: { to: 9 }, b: { to: 4 } }, 'lanes.a: b and a both take priority 4.'],
    [{ a: 5 as never }, 'lanes.a: 5 is no range.'],
    [{ only: { from: 1 } }, 'lanes.only.from: priorities below 1 belong to no lane. Leave from out of the lowest lane.'],
    [{ only: { to: 1 } }, 'lanes.only.to: priorities above 1 belong to no lane. Leave to out of the highest lane.'],
    [{ a: { to: 0 }, b: { from: 5, to: 1 } }, 'lanes.b: it begins at 5 and ends at 1: no priority belongs to it.'],
    [{ a: { from: 0.5 } }, 'lanes.a.from: 0.5 is no priority.'],
    [{ a: { to: Number.POSITIVE_INFINITY } }, 'lanes.a.to: '],
    [{ a: { to: '5' as never } }, 'lanes.a.to: "5" is no priority.'],
    [{ timers: {} }, 'lanes.timers: this name is reserved for fired timers.'],
    [{ Urgent: {} }, 'lanes.Urgent: '],
    [{ a: null as never }, 'lanes.a: '],
  ])('are refused with the field and the fix: %j', (ranges, message) => {
    const refused = (): unknown => laneBounds(ranges, 'lanes');
    expect(refused).toThrow(InvalidConfigurationError);
    expect(refused).toThrow(message);
  });
});

describe('lower bounds that were written by hand', () => {
  const lanes = { a: 'url', b: 'url', timers: 'url' };

  test.each([
    [lanes, { b: 1 }],
    [{ a: 'url' }, undefined],
    [{ timers: 'url' }, undefined],
    [{ timers: 'url' }, {}],
    [
      { a: 'url', b: 'url', c: 'url' },
      { a: 7, c: -7 },
    ],
  ])('of lanes %j are %j', (given, from) =>
    expect(() => checkLanes({ lanes: given, ...(from === undefined ? {} : { from }) }, 'workers.w')).not.toThrow(),
  );

  test.each([
    [5, 'workers.w.from: it holds no lower bounds by lane.'],
    ['b', 'workers.w.from: it holds no lower bounds by lane.'],
    [null, 'workers.w.from: it holds no lower bounds by lane.'],
    [[1], 'workers.w.from: it holds no lower bounds by lane.'],
    [{ b: 1, c: 2 }, 'workers.w.from: "c" is no lane with a range. Known are: a, b.'],
    [{ b: 1, toString: 2 }, 'workers.w.from: "toString" is no lane with a range. Known are: a, b.'],
    [{ b: 1, timers: 2 }, 'workers.w.from: "timers" is no lane with a range. Known are: a, b.'],
    [{ b: 1.5 }, 'workers.w.from.b: 1.5 is no priority.'],
    [{ b: '1' }, 'workers.w.from.b: "1" is no priority.'],
    [{}, 'workers.w.from: lanes a and b both begin below everything.'],
    [{ a: 1, b: 2 }, 'workers.w.from: no lane takes the lowest priorities.'],
  ])('are refused as %j, with the field and the fix', (from, message) => {
    const refused = (): unknown => checkLanes({ lanes, from: from as never }, 'workers.w');
    expect(refused).toThrow(InvalidConfigurationError);
    expect(refused).toThrow(message);
  });

  test('are refused where two are the same', () => {
    const from = { b: 1, c: 2, d: 2 };
    expect(() => checkLanes({ lanes: { a: 0, b: 0, c: 0, d: 0 }, from }, 'workers.w')).toThrow(
      'workers.w.from.c: 2 is the lower bound of another lane as well.',
    );
  });
});

test('lanes are looked at from the most urgent down, timers before all', () => {
  fc.assert(
    fc.property(partition, (ranges) => {
      const names = lanesByUrgency([...Object.keys(ranges), 'timers'], laneBounds(ranges, 'lanes'));
      const starts = names.map((lane) => (lane === 'timers' ? Number.POSITIVE_INFINITY : (ranges[lane]?.from ?? Number.NEGATIVE_INFINITY)));
      expect(starts).toEqual(starts.toSorted((a, b) => (a < b ? 1 : -1)));
      expect(names.toSorted()).toEqual([...Object.keys(ranges), 'timers'].toSorted());
    }),
  );
});

describe('the lane of a job', () => {
  const queues = { lanes: { urgent: 'u', default: 'd' }, from: { urgent: 10 } };

  test('is that of its priority, both bounds inclusive', () => {
    expect([-1e9, 0, 9, 10, 1e9].map((value) => laneOfJob({ kind: 'async', priority: value }, queues))).toEqual([
      'default',
      'default',
      'default',
      'urgent',
      'urgent',
    ]);
  });

  test('is that of timers for a fired timer where there is one, whatever its priority', () => {
    const timersFirst = { ...queues, lanes: { ...queues.lanes, timers: 't' } };
    expect(laneOfJob({ kind: 'timer', priority: 99 }, timersFirst)).toBe('timers');
    expect(laneOfJob({ kind: 'timer', priority: 99 }, queues)).toBe('urgent');
    expect(laneOfJob({ kind: 'async', priority: 0 }, timersFirst)).toBe('default');
  });

  test('is the default one where nothing says otherwise', () => {
    expect(laneOfJob({ kind: 'async', priority: 5 }, undefined)).toBe('default');
    expect(laneOfJob({ kind: 'async', priority: 5 }, { lanes: { bulk: 'b' } })).toBe('bulk');
  });

  test('stays while the worker has it, and is that of its priority after a deployment took it away', () => {
    expect(laneInUse('default', 99, queues)).toBe('default');
    expect(laneInUse('bulk', 99, queues)).toBe('urgent');
    expect(laneInUse('timers', 0, queues)).toBe('default');
  });
});
