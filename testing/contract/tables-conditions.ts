import assert from 'node:assert/strict';
import type { Condition } from '../../shared/ports/tables.ts';
import { absent, all, any, atMost, beginsWith, equals, present } from './condition-words.ts';
import type { ContractCheck, TablesSubject } from './contract.ts';

const ROW = { id: 'a', n: 5, text: 'queue/1', at: '2026-01-01T00:00:00.000Z', yes: true };

const CASES: readonly (readonly [what: string, condition: Condition, holds: boolean])[] = [
  ['absent of an attribute that is there', absent('n'), false],
  ['absent of one that is not', absent('nothing'), true],
  ['present', present('n'), true],
  ['present of nothing', present('nothing'), false],
  ['equals a number', equals('n', 5), true],
  ['equals another kind', equals('n', '5'), false],
  ['equals a boolean', equals('yes', true), true],
  ['equals nothing', equals('nothing', 0), false],
  ['beginsWith', beginsWith('text', 'queue/'), true],
  ['beginsWith the whole text', beginsWith('text', 'queue/1'), true],
  ['beginsWith something else', beginsWith('text', 'run/'), false],
  ['beginsWith on a number', beginsWith('n', '5'), false],
  ['atMost the same number', atMost('n', 5), true],
  ['atMost a smaller number', atMost('n', 4.5), false],
  ['atMost by value, not by digits', atMost('n', 10), true],
  ['atMost the same text', atMost('at', '2026-01-01T00:00:00.000Z'), true],
  ['atMost an earlier text', atMost('at', '2025-12-31T23:59:59.999Z'), false],
  ['atMost across kinds', atMost('n', '9'), false],
  ['atMost on nothing', atMost('nothing', 9), false],
  ['all', all(equals('n', 5), present('at')), true],
  ['all but one', all(equals('n', 5), present('nothing')), false],
  ['any', any(equals('n', 6), present('at')), true],
  ['any of none that holds', any(equals('n', 6), absent('at')), false],
  ['a list of one in a list of one', all(any(all(equals('n', 5)))), true],
  ['a list of one in a longer list', any(all(equals('n', 6)), all(any(present('at')))), true],
  ['nested', all(any(absent('x'), equals('x', 1)), any(atMost('n', 4), all(equals('n', 5), equals('yes', true)))), true],
];

/** Which conditions hold. */
export const CONDITIONS: readonly ContractCheck<TablesSubject>[] = CASES.map(([what, condition, holds]) => ({
  title: `condition: ${what} ${holds ? 'holds' : 'fails'}`,
  async check({ tables }) {
    await tables.write({ op: 'put', table: 'jobs', row: ROW });
    const outcome = await tables.write({ op: 'update', table: 'jobs', key: { id: 'a' }, set: { written: 1 }, condition });
    assert.deepEqual(outcome, { applied: holds, row: holds ? { ...ROW, written: 1 } : ROW, attempts: 1 });
  },
}));
