import { describe, expect, it } from 'vitest';
import { checkFilter } from '../../../operate/jobs/check-filter.ts';
import { COMPARED, type JobFilter, NUMBER_FIELDS } from '../../../operate/jobs/job-filter.ts';
import { NOT_IN_INDEXES, scanFilter } from '../../../operate/jobs/match-row.ts';
import { type Place, planOf } from '../../../operate/jobs/plan.ts';
import { sha256 } from '../../../shared/job/hash.ts';
import { TABLE_SPECS } from '../../../shared/ports/table-spec.ts';

const NOW = Date.UTC(2026, 2, 10, 12);
const ID = '019b76da-a800-7e8d-8a2a-b3c624e3443e';

function places(filter: JobFilter, ordered = true): readonly Place[] {
  return planOf(checkFilter(filter), { now: NOW, historyDays: 3, ordered }).places;
}

const shown = (filter: JobFilter, ordered = true): readonly string[] => places(filter, ordered).map((place) => place.shown);

describe('the plan of a list', () => {
  it.each<readonly [JobFilter, readonly string[]]>([
    [{ state: 'dead', type: 'mail' }, ['index byType of DeadLetters']],
    [{ fingerprint: 'x' }, ['index byFingerprint of DeadLetters']],
    [{ fingerprint: 'x', type: 'mail' }, ['index byFingerprint of DeadLetters']],
    [{ state: 'dead', tenant: 'acme' }, ['scan of DeadLetters']],
    [{ state: 'dead', type: ['a', 'b', 'c', 'd', 'e'] }, ['scan of DeadLetters']],
    [{ cause: 'type#mail' }, ['index byCause of Suspended']],
    [{ state: 'suspended' }, ['scan of Suspended']],
    [{ state: 'waiting' }, ['Timers by due time']],
    [{ state: 'parked' }, ['Timers by limit']],
    [{ state: ['ready', 'running'] }, ['scan of Jobs']],
    [{ state: 'finished' }, ['History by day', 'scan of History']],
    [{ id: ID }, ['1 by id']],
    [{ state: 'ready', fingerprint: 'x' }, []],
    [{ state: 'dead', or: [{ type: 'a', tenant: 'x' }, { type: ['b', 'a'] }] }, ['index byType of DeadLetters']],
    [{ state: 'dead', or: [{ type: 'a' }, { tenant: 'x' }] }, ['scan of DeadLetters']],
    [{ state: 'dead', or: [{ type: ['a', 'b', 'c'] }, { type: ['d', 'e'] }] }, ['scan of DeadLetters']],
    [{ or: [{ cause: 'type#a' }, { cause: 'breakpoint' }] }, ['index byCause of Suspended']],
    [{ type: 'mail' }, ['Timers by due time', 'Timers by limit', 'scan of Suspended', 'scan of Jobs', 'index byType of DeadLetters']],
  ])('%j is served by %j', (filter, served) => {
    expect(shown(filter)).toEqual(served);
  });

  it('reads days of History that are meant from the oldest on, if that is the order', () => {
    const plan = planOf(checkFilter({ state: 'finished' }), { now: NOW, historyDays: 2, ordered: true, order: 'oldest-first' });
    const [byDay] = plan.places;
    const lists = byDay?.read === 'merge' && byDay.partitions !== 'parked-limits' ? byDay.partitions : [];
    expect(lists.map(([first]) => first)).toEqual(['2026-03-08#00', '2026-03-09#00', '2026-03-10#00']);
  });

  it('has the same cursors for times that have moved on, also in alternatives, and others for another order', () => {
    const mark = (filter: JobFilter, order?: 'latest-first') =>
      planOf(checkFilter(filter), { now: NOW, historyDays: 3, ordered: true, ...(order === undefined ? {} : { order }) }).mark;
    const at = (from: number): JobFilter => ({
      state: 'waiting',
      or: [
        { type: 'a', from, createdFrom: from },
        { tenant: 'x', to: from, createdTo: from },
      ],
    });
    expect(mark(at(NOW))).toBe(mark(at(NOW + 5)));
    expect(mark({ state: 'waiting', createdFrom: 1 })).toBe(mark({ state: 'waiting', from: 2, to: 3, createdTo: 4 }));
    expect(mark({ ...at(NOW), or: [{ type: 'a' }] })).not.toBe(mark(at(NOW)));
    expect(mark({ state: 'waiting' }, 'latest-first')).not.toBe(mark({ state: 'waiting' }));
    // Bulk actions of an earlier version keep their cursors.
    expect(mark({ state: 'dead', type: 'mail' })).toBe(
      sha256('{"states":["dead"],"values":{"type":["mail"]},"namesSomething":true}').slice(0, 8),
    );
  });

  it('of dead letters goes through the types that have some, and then through what those do not hold', () => {
    const deadTypes = ['mail', 'report'];
    const plan = (filter: JobFilter, types = deadTypes) =>
      planOf(checkFilter(filter), { now: NOW, historyDays: 3, ordered: true, deadTypes: types }).places;
    expect(plan({ state: 'dead', tenant: 'acme' })).toMatchObject([
      { read: 'merge', order: 'newest-first', index: 'byType' },
      { read: 'scan', without: deadTypes },
    ]);
    expect(plan({ state: 'dead', type: 'mail' })).toHaveLength(1);
    expect(
      plan(
        { state: 'dead' },
        Array.from({ length: 25 }, (_, n) => `type-${n}`),
      ),
    ).toMatchObject([{ read: 'scan' }]);
  });

  it('reads the partitions of an index for each value and leaf', () => {
    const [place] = places({ state: 'dead', type: ['mail', 'report'] });
    expect(place).toMatchObject({ read: 'merge', order: 'newest-first' });
    const partitions = place?.read === 'merge' && place.partitions !== 'parked-limits' ? place.partitions.flat() : [];
    expect(partitions).toHaveLength(32);
    expect(partitions).toContain('report#f');
  });

  it('reads the days in which jobs may have finished, the newest first, and then the rest of History without them', () => {
    const [byDay, rest] = places({ state: 'finished', to: NOW - 86_400_000 });
    const days = byDay?.read === 'merge' && byDay.partitions !== 'parked-limits' ? byDay.partitions.map((list) => list[0]) : [];
    expect(days).toEqual(['2026-03-09#00', '2026-03-08#00', '2026-03-07#00']);
    expect(rest).toMatchObject({ read: 'scan', without: ['2026-03-09', '2026-03-08', '2026-03-07'] });
  });

  it.each([
    [{ to: NOW + 5 * 86_400_000 }, ['2026-03-10', '2026-03-09', '2026-03-08', '2026-03-07']],
    [{ from: NOW - 86_400_000 }, ['2026-03-10', '2026-03-09']],
    [{ to: Date.UTC(2026, 2, 10) }, ['2026-03-09', '2026-03-08', '2026-03-07']],
    [{ from: 0, to: NOW - 2 * 86_400_000 }, ['2026-03-08', '2026-03-07']],
  ])('reads no day of History that is not meant, to come or no longer kept: %j', (range, days) => {
    expect(places({ state: 'finished', ...range })[1]).toMatchObject({ read: 'scan', without: days });
  });

  it('reads no more than a month of History day by day', () => {
    const [, rest] = planOf(checkFilter({ state: 'finished' }), { now: NOW, historyDays: 90, ordered: true }).places;
    expect(rest).toMatchObject({ without: { length: 31, 30: '2026-02-08' } });
  });

  it('reads due times from the first to right before the last', () => {
    expect(places({ state: 'waiting', from: NOW, to: NOW + 1_000 })).toMatchObject([
      { from: '2026-03-10T12:00:00.000Z', through: '2026-03-10T12:00:00.999Z#~' },
    ]);
  });
});

describe('what a scan leaves out at the table', () => {
  const equals = (attribute: string, value: string) => ({ test: 'equals', attribute, value });
  const anyOf = (attribute: string, values: readonly string[]) => ({ test: 'any', of: values.map((value) => equals(attribute, value)) });
  const many = Array.from({ length: 50 }, (_, n) => `g${n}`);
  it.each<readonly [string, JobFilter, unknown]>([
    ['nothing', { state: 'ready' }, undefined],
    ['another value', { type: 'mail' }, { test: 'all', of: [equals('type', 'mail')] }],
    ['other values', { type: ['a', 'b'] }, { test: 'all', of: [anyOf('type', ['a', 'b'])] }],
    ['jobs of a tenant', { tenant: null }, { test: 'all', of: [{ test: 'absent', attribute: 'tenant' }] }],
    ['other tenants', { tenant: 'acme' }, { test: 'all', of: [equals('tenant', 'acme')] }],
    [
      'tenants of another name',
      { tenant: { prefix: 'a' } },
      { test: 'all', of: [{ test: 'beginsWith', attribute: 'tenant', value: 'a' }] },
    ],
    ['jobs with an error', { hasError: false }, { test: 'all', of: [{ test: 'absent', attribute: 'errorName' }] }],
    ['jobs without an error', { hasError: true }, { test: 'all', of: [{ test: 'present', attribute: 'errorName' }] }],
    [
      'what matches no alternative',
      { group: 'g', or: [{ type: 'mail' }, { tenant: 'x', lockOwner: 'run/x' }] },
      {
        test: 'all',
        of: [
          equals('group', 'g'),
          {
            test: 'any',
            of: [
              { test: 'all', of: [equals('type', 'mail')] },
              { test: 'all', of: [equals('lockOwner', 'run/x'), equals('tenant', 'x')] },
            ],
          },
        ],
      },
    ],
    ['nothing because of an alternative that the table cannot judge', { or: [{ type: 'mail' }, { text: 'x' }] }, undefined],
    [
      'nothing because of alternatives that have no room',
      { group: many, or: [{ batch: many }, { type: 'a' }] },
      { test: 'all', of: [anyOf('group', many)] },
    ],
    [
      'what goes into an expression of a hundred values',
      { type: 'mail', group: many, batch: many },
      { test: 'all', of: [equals('type', 'mail'), anyOf('group', many)] },
    ],
  ])('is %s', (_what, filter, condition) => {
    expect(scanFilter(checkFilter(filter))).toEqual(condition);
  });
});

describe('the plan of a count', () => {
  it('passes every table once, whatever the order', () => {
    expect(shown({ state: ['waiting', 'parked'] }, false)).toEqual(['scan of Timers']);
    expect(shown({ state: 'finished' }, false)).toEqual(['scan of History']);
    expect(shown({ state: 'parked' }, false)).toEqual(['Timers by limit']);
    expect(shown({ state: 'waiting', to: NOW }, false)).toEqual(['Timers by due time']);
  });
});

it('every field of a filter that a row is compared by is a column of the indexes, but for those that the reader knows of', () => {
  const compared = [...COMPARED, ...Object.values(NUMBER_FIELDS), 'createdAt', 'tenant', 'errorName'].filter(
    (field) => !(NOT_IN_INDEXES as readonly string[]).includes(field),
  );
  const only: Readonly<Record<string, readonly string[]>> = { deadLetters: ['cause', 'outcome'], suspended: ['fingerprint', 'outcome'] };
  for (const { name, indexes } of Object.values(TABLE_SPECS)) {
    for (const { projects, partition, sort } of Object.values(indexes)) {
      const missing = compared.filter((field) => ![...projects, partition, sort].includes(field));
      expect(missing.toSorted()).toEqual(only[name]);
    }
  }
});

it('an index has no more columns than DynamoDB takes, and none that is a key anyway', () => {
  for (const { indexes, partition } of Object.values(TABLE_SPECS)) {
    for (const index of Object.values(indexes)) {
      expect(index.projects.length).toBeLessThanOrEqual(20);
      expect(index.projects.filter((name) => [partition, index.partition, index.sort].includes(name))).toEqual([]);
    }
  }
});
