import { describe, expect, it } from 'vitest';
import type { CancelReason, Write } from '../../../../shared/ports/tables.ts';
import { addUpWrites } from '../../../../shared/store/add-up-writes.ts';

const leaf = (name: string, amount = 1): Write => ({
  op: 'update',
  table: 'control',
  key: { pk: 'b', sk: '0' },
  set: {},
  add: { [name]: amount },
});
const put = (id: string): Write => ({ op: 'put', table: 'jobs', row: { id } });

describe('writes that only add to one row', () => {
  it('become one, and each write finds the reason of the one that stands for it', () => {
    const [ended, first, added, second] = [leaf('succeeded'), put('first'), leaf('total', 2), put('second')];
    const summed = addUpWrites([ended, first, added, second]);
    expect(summed.writes).toEqual([{ ...ended, add: { succeeded: 1, total: 2 } }, first, second]);
    const reasons: CancelReason[] = [{ code: 'conflict' }, { code: 'none' }, { code: 'condition' }];
    expect([ended, first, added, second].map((write) => summed.reasonOf(write, reasons)?.code)).toEqual([
      'conflict',
      'none',
      'conflict',
      'condition',
    ]);
  });

  it.each<[string, Write]>([
    ['has a condition', { ...leaf('total'), condition: { test: 'present', attribute: 'pk' } }],
    ['sets an attribute', { ...leaf('total'), set: { state: 'x' } } as Write],
    ['removes an attribute', { ...leaf('total'), remove: ['state'] } as Write],
    ['is of another row', { ...leaf('total'), key: { pk: 'b', sk: '1' } } as Write],
  ])('stay apart from one that %s', (_, other) => {
    expect(addUpWrites([leaf('total'), other]).writes).toHaveLength(2);
  });
});
