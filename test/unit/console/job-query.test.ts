import { describe, expect, it } from 'vitest';
import type { JobFilter } from '../../../operate/jobs/job-filter.ts';
import { listCommand } from '../../../console/jobs/cli-words.ts';
import { narrowed } from '../../../console/jobs/bulk-choices.ts';
import { filterOfParams, paramsOfFilter } from '../../../operate/jobs/filter-params.ts';
import { InvalidInputError } from '../../../shared/job/errors.ts';
import { filterWords, jobQuery, jobsHref, searchable } from '../../../console/jobs/job-query.ts';

const NOW = Date.parse('2026-01-31T12:00:00Z');

describe('a filter and its address', () => {
  it.each<JobFilter>([
    {},
    { state: 'dead' },
    { state: ['ready', 'running'], type: ['a', 'b'], group: 'g & h', correlationId: '#?=' },
    { tenant: null },
    { tenant: { prefix: 'ac' } },
    { tenant: ['a', 'b'], text: ' two  words ', from: new Date(NOW - 5), to: new Date(NOW) },
    {
      id: 'x',
      batch: 'b',
      schedule: 's',
      worker: 'w',
      lane: 'l',
      fingerprint: 'f',
      errorName: 'e',
      reason: 'r',
      cause: 'type#a',
      outcome: 'skipped',
    },
    {
      kind: 'timer',
      lockOwner: 'run/x',
      priority: { min: -5, max: 3 },
      failures: { min: 2 },
      attempts: 1,
      createdFrom: new Date(NOW - 5),
      createdTo: new Date(NOW),
      hasError: true,
    },
    {
      state: 'dead',
      hasError: false,
      or: [
        { type: ['a', 'b'], tenant: null },
        { text: 'a & b=c', priority: { max: -1 }, from: new Date(NOW) },
      ],
    },
  ])('say the same: %o', (filter) => {
    expect(filterOfParams(paramsOfFilter(filter), NOW)).toEqual(filter);
  });

  it('mean nothing by empty fields, and any of several by repeated ones', () => {
    expect(filterOfParams(new URLSearchParams('type=&group=%20&tenant=&from=&text=&state='), NOW)).toEqual({});
    expect(filterOfParams(new URLSearchParams('type=a&type=b&type=a&type='), NOW)).toEqual({ type: ['a', 'b'] });
  });

  it('take times as instants or as how long ago', () => {
    expect(filterOfParams(new URLSearchParams('from=2h&to=PT30M'), NOW)).toEqual({
      from: new Date(NOW - 7_200_000),
      to: new Date(NOW - 1_800_000),
    });
    for (const text of ['yesterday', '2026-01-31', '2x', '-1h', '2026-02-30T00:00Z']) {
      expect(() => filterOfParams(new URLSearchParams({ from: text }), NOW), text).toThrow(/from.*how long ago, such as 2h/);
    }
  });

  it.each(['priority=high', 'failures=..', 'hasError=maybe', 'or=typ%3Da', 'or=from%3Dyesterday', 'createdTo=soon'])(
    'refuse a value that is none: %s',
    (address) => {
      expect(() => filterOfParams(new URLSearchParams(address), NOW)).toThrow(InvalidInputError);
    },
  );

  it('search no text where fields are hidden, in no alternative either', () => {
    const hiding = { redact: ['iban'] };
    expect(searchable({ or: [{ type: 'a' }] }, hiding)).toEqual({ or: [{ type: 'a' }] });
    for (const filter of [{ text: 'a' }, { or: [{ type: 'a' }, { text: 'a' }] }]) {
      expect(() => searchable(filter, hiding)).toThrow('hides fields');
      expect(searchable(filter, { redact: [] })).toEqual(filter);
    }
  });

  it('take read units only as a number in range', () => {
    expect(jobQuery(new URLSearchParams('maxReadUnits=500&after=c&count=1&order=oldest-first'), NOW)).toEqual({
      filter: {},
      order: 'oldest-first',
      after: 'c',
      maxReadUnits: 500,
      count: true,
    });
    for (const text of ['0', '-1', '1e9', 'all', '1.5']) {
      expect(() => jobQuery(new URLSearchParams({ maxReadUnits: text }), NOW), text).toThrow('maxReadUnits');
    }
  });

  it('become words, a link and a command', () => {
    const filter: JobFilter = { state: 'dead', type: ['a', 'b', 'c', 'd'], tenant: { prefix: 'x' }, correlationId: "it's" };
    expect(filterWords(filter, 'UTC')).toBe("dead jobs: type a, b or 2 more, correlation id it's, tenant x...");
    expect(filterWords({}, 'UTC')).toBe('all unfinished jobs');
    const either: JobFilter = {
      hasError: false,
      failures: { min: 2 },
      or: [
        { type: 'a', state: 'dead' },
        { kind: 'timer', priority: 3 },
      ],
    };
    expect(filterWords(either, 'UTC')).toBe(
      'unfinished jobs: failures 2.., without an error, either (dead, type a) or (kind timer, priority 3)',
    );
    expect(listCommand({ ...either, createdTo: new Date(NOW) })).toEqual([
      'jobs',
      'list',
      '--created-to',
      '2026-01-31T12:00:00.000Z',
      '--failures=2..',
      '--without-error',
      '--or',
      'state=dead&type=a',
      '--or',
      'kind=timer&priority=3',
    ]);
    expect(jobsHref({ type: 'a&b' })).toBe('/jobs?type=a%26b');
    expect(listCommand({ ...filter, type: 'a' })).toEqual([
      'jobs',
      'list',
      '--state',
      'dead',
      '--type',
      'a',
      '--correlation-id',
      "it's",
      '--tenant-prefix',
      'x',
    ]);
  });
});

describe('what a verb acts on', () => {
  it('is only what it can do anything about', () => {
    expect(narrowed({ type: 'a' }, 'redrive')).toEqual({ type: 'a', state: 'dead' });
    expect(narrowed({ state: ['dead', 'waiting'] }, 'set-due-date')).toEqual({ state: 'waiting' });
    expect(() => narrowed({ state: 'running' }, 'delete')).toThrow('Delete works on jobs that are dead');
  });
});
