import { describe, expect, it } from 'vitest';
import { RowUnreadableError } from '../../../shared/job/errors.ts';
import { iso } from '../../../shared/job/instant.ts';
import type { Row } from '../../../shared/ports/tables.ts';
import { readable, rowCodec } from '../../../shared/store/row-codec.ts';

const at = Date.UTC(2026, 0, 31);
const lease = rowCodec({ owner: 'text', until: 'instant', takenAt: 'instant?', note: 'text~' });
const whole = { owner: 'a', until: at, takenAt: at, note: 'n' };

describe('a codec of rows', () => {
  it('stores instants as text and all else as it is', () => {
    expect(lease.encode(whole)).toEqual({ owner: 'a', until: iso(at), takenAt: iso(at), note: 'n' });
  });

  it('reads what it stored', () => {
    expect(lease.decode(lease.encode(whole))).toEqual(whole);
  });

  it('stores no attribute for an absent field, and reads none', () => {
    const row = lease.encode({ owner: 'a', until: at, takenAt: undefined });
    expect(row).toEqual({ owner: 'a', until: iso(at) });
    expect(Object.keys(lease.decode(row))).toEqual(['owner', 'until']);
  });

  it('leaves out what is no field', () => {
    const more = { ...whole, more: 1 };
    expect(lease.encode(more)).not.toHaveProperty('more');
    expect(lease.decode({ ...lease.encode(whole), more: 1 })).toEqual(whole);
  });

  it('names a field that must be there and is not', () => {
    expect(() => lease.decode({ owner: 'a' })).toThrow(new RowUnreadableError('until', 'nothing'));
  });

  it('names the first field that is damaged, in the order of their declaration', () => {
    expect(() => lease.decode({ until: 'soon', owner: 1 })).toThrow(new RowUnreadableError('owner', 1));
  });

  it('refuses a damaged field that may be absent', () => {
    expect(() => lease.decode({ ...lease.encode(whole), takenAt: 'soon' })).toThrow(new RowUnreadableError('takenAt', 'soon'));
  });

  it('leaves out a damaged field without which the others are worth reading', () => {
    expect(lease.decode({ ...lease.encode(whole), note: 1 })).toEqual({ owner: 'a', until: at, takenAt: at });
  });

  it.each([
    ['text', '', 0],
    ['integer', -1, 1.5],
    ['count', 0, -1],
    ['number', 1.5, '1'],
    ['instant', iso(at), '2026-01-31'],
    ['flag', false, 'true'],
  ] as const)('reads a %s such as %j, and not %j', (kind, good, bad) => {
    const codec = rowCodec({ field: kind });
    expect(codec.encode(codec.decode({ field: good }))).toEqual({ field: good });
    expect(() => codec.decode({ field: bad })).toThrow(RowUnreadableError);
  });
});

describe('a row that may be unreadable', () => {
  const read = (row: Row) => readable(() => lease.decode(row));

  it('is one value, or none', () => {
    expect([read({}), read(lease.encode(whole))]).toEqual([[], [whole]]);
  });

  it('hides no other error', () => {
    const bug = new TypeError('x');
    expect(() =>
      readable(() => {
        throw bug;
      }),
    ).toThrow(bug);
  });
});
