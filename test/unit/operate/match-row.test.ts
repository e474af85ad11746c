import { describe, expect, it } from 'vitest';
import { checkFilter } from '../../../operate/jobs/check-filter.ts';
import type { JobFilter } from '../../../operate/jobs/job-filter.ts';
import { matchesRow, matchRow } from '../../../operate/jobs/match-row.ts';
import { iso } from '../../../shared/job/instant.ts';

const AT = Date.UTC(2026, 0, 31);
const row = {
  id: 'x',
  type: 'mail',
  lockOwner: 'queue/0/t',
  createdAt: iso(AT),
  dueAt: iso(AT),
  priority: 3,
  failures: 2,
  starts: 4,
  kind: 'timer',
};

describe('a row', () => {
  it.each<readonly [JobFilter, boolean]>([
    [{ createdFrom: AT }, true],
    [{ createdFrom: AT + 1 }, false],
    [{ createdTo: AT + 1 }, true],
    [{ createdTo: AT }, false],
    [{ priority: 3 }, true],
    [{ priority: 4 }, false],
    [{ priority: { min: 3 } }, true],
    [{ priority: { min: 4 } }, false],
    [{ priority: { max: 3 } }, true],
    [{ priority: { max: 2 } }, false],
    [{ failures: { min: 2, max: 2 } }, true],
    [{ attempts: 2 }, false],
    [{ attempts: 4 }, true],
    [{ hasError: false }, true],
    [{ hasError: true }, false],
    [{ kind: 'async' }, false],
    [{ lockOwner: 'queue/0/t' }, true],
    [{ or: [{ type: 'other' }, { priority: 3 }] }, true],
    [{ or: [{ type: 'other' }, { priority: 4 }] }, false],
    [{ type: 'other', or: [{ priority: 3 }] }, false],
    [{ or: [{ state: 'running' }, { state: 'ready', kind: 'async' }] }, false],
  ])('matches %j: %s', (filter, matches) => {
    expect(matchesRow(checkFilter(filter), 'jobs', row)).toBe(matches);
  });

  it('without a counter counts as 0, as a list shows it, and without a time of creation matches no span', () => {
    const bare = { id: 'x', lockOwner: 'queue/0/t' };
    expect(matchesRow(checkFilter({ failures: 0, priority: { max: 0 } }), 'jobs', bare)).toBe(true);
    expect(matchesRow(checkFilter({ createdFrom: 0 }), 'jobs', bare)).toBe(false);
  });
});

describe('the columns of an index', () => {
  const columns = { id: 'x', type: 'mail', createdAt: iso(AT), priority: 3, errorMessage: 'a timeout' };
  it.each<readonly [JobFilter, string]>([
    [{ type: 'mail' }, 'yes'],
    [{ type: 'other', kind: 'timer' }, 'no'],
    [{ kind: 'timer' }, 'unknown'],
    [{ text: 'timeout' }, 'yes'],
    [{ text: 'iban' }, 'unknown'],
    [{ or: [{ kind: 'timer' }, { priority: 3 }] }, 'yes'],
    [{ or: [{ kind: 'timer' }, { priority: 4 }] }, 'unknown'],
    [{ or: [{ type: 'other', kind: 'timer' }, { priority: 4 }] }, 'no'],
    [{ kind: 'timer', or: [{ priority: 4 }] }, 'no'],
  ])('decide %j: %s', (filter, match) => {
    expect(matchRow(checkFilter(filter), 'deadLetters', columns, true)).toBe(match);
  });
});
