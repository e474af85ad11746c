import { beforeEach, describe, expect, test } from 'vitest';
import { StoreRefusedError } from '../../shared/core/errors.ts';
import type { Condition, Row, Tables } from '../../shared/ports/tables.ts';
import { absent, all, any, atMost, beginsWith, equals, present, TABLES_UNDER_TEST } from './tables-under-test.ts';

describe.each(TABLES_UNDER_TEST)('tables in %s: single writes', (_, open) => {
  let tables: Tables;
  beforeEach(async () => {
    tables = await open();
  });
  const put = (row: Row, condition?: Condition) =>
    tables.write({ op: 'put', table: 'jobs', row, ...(condition === undefined ? {} : { condition }) });

  test('a row comes back as it was put', async () => {
    const row = { id: 'a', text: 'Mueller & Söhne 🚚', empty: '', count: -1.5, big: Number.MAX_SAFE_INTEGER, yes: true, no: false };
    expect(await put(row)).toEqual({ applied: true, attempts: 1 });
    expect(await tables.get('jobs', { id: 'a' })).toEqual(row);
    expect(await tables.get('jobs', { id: 'b' })).toBeUndefined();
  });

  test('a put replaces the whole row', async () => {
    await put({ id: 'a', old: 1 });
    await put({ id: 'a', fresh: 2 });
    expect(await tables.get('jobs', { id: 'a' })).toEqual({ id: 'a', fresh: 2 });
  });

  test('a failed condition writes nothing and shows the row that it met', async () => {
    await put({ id: 'a', rev: 1 });
    expect(await put({ id: 'a', rev: 2 }, absent('id'))).toEqual({ applied: false, row: { id: 'a', rev: 1 }, attempts: 1 });
    expect(await put({ id: 'b' }, equals('rev', 1))).toEqual({ applied: false, attempts: 1 });
    expect(await tables.get('jobs', { id: 'a' })).toEqual({ id: 'a', rev: 1 });
    expect(await tables.get('jobs', { id: 'b' })).toBeUndefined();
  });

  test('an update sets, removes and adds at once and shows the new row', async () => {
    await put({ id: 'a', owner: 'queue/0/x', gone: 1, rev: 3 });
    const outcome = await tables.write({
      op: 'update',
      table: 'jobs',
      key: { id: 'a' },
      set: { owner: 'run/y' },
      remove: ['gone', 'never'],
      add: { rev: 1, starts: 1 },
      condition: beginsWith('owner', 'queue/'),
    });
    expect(outcome).toEqual({ applied: true, row: { id: 'a', owner: 'run/y', rev: 4, starts: 1 }, attempts: 1 });
    expect(await tables.get('jobs', { id: 'a' })).toEqual({ id: 'a', owner: 'run/y', rev: 4, starts: 1 });
  });

  test('an update of a row that is not there makes it, unless its condition forbids that', async () => {
    const update = { op: 'update', table: 'control', key: { pk: 'counter', sk: '0' }, set: {}, add: { n: 2 } } as const;
    expect(await tables.write({ ...update, condition: present('pk') })).toEqual({ applied: false, attempts: 1 });
    expect(await tables.write(update)).toMatchObject({ applied: true, row: { pk: 'counter', sk: '0', n: 2 } });
  });

  test('a failed update shows the row, a failed delete too', async () => {
    const row = { id: 'a', owner: 'run/other' };
    await put(row);
    const condition = equals('owner', 'run/me');
    expect(await tables.write({ op: 'update', table: 'jobs', key: { id: 'a' }, set: { x: 1 }, condition })).toEqual({
      applied: false,
      row,
      attempts: 1,
    });
    expect(await tables.write({ op: 'delete', table: 'jobs', key: { id: 'a' }, condition })).toEqual({ applied: false, row, attempts: 1 });
    expect(await tables.get('jobs', { id: 'a' })).toEqual(row);
  });

  test('a delete shows the row that it took; without a condition, deleting nothing is applied', async () => {
    await put({ id: 'a', n: 1 });
    const deletion = { op: 'delete', table: 'jobs', key: { id: 'a' } } as const;
    expect(await tables.write({ ...deletion, condition: equals('n', 1) })).toEqual({ applied: true, row: { id: 'a', n: 1 }, attempts: 1 });
    expect(await tables.write({ ...deletion, condition: equals('n', 1) })).toEqual({ applied: false, attempts: 1 });
    expect(await tables.write(deletion)).toEqual({ applied: true, attempts: 1 });
  });

  test.each<[string, Condition, boolean]>([
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
    ['nested', all(any(absent('x'), equals('x', 1)), any(atMost('n', 4), all(equals('n', 5), equals('yes', true)))), true],
  ])('condition: %s', async (_name, condition, holds) => {
    await put({ id: 'a', n: 5, text: 'queue/1', at: '2026-01-01T00:00:00.000Z', yes: true });
    expect(await tables.write({ op: 'update', table: 'jobs', key: { id: 'a' }, set: { written: 1 }, condition })).toMatchObject({
      applied: holds,
    });
  });

  test('texts compare by their bytes, so that a character beyond U+FFFF comes last', async () => {
    await put({ id: 'a', text: '\u{1F69A}' });
    expect(await put({ id: 'a', text: 'x' }, atMost('text', '\uFFFD'))).toMatchObject({ applied: false });
    expect(await put({ id: 'a', text: 'x' }, atMost('text', '\u{1F69B}'))).toMatchObject({ applied: true });
  });

  test('of 64 updates at the same time that may each be the only one, one is applied and the others see it', async () => {
    await put({ id: 'a', owner: 'queue/0/t', starts: 0 });
    const outcomes = await Promise.all(
      Array.from({ length: 64 }, (_one, index) =>
        tables.write({
          op: 'update',
          table: 'jobs',
          key: { id: 'a' },
          set: { owner: `run/${index}` },
          add: { starts: 1 },
          condition: beginsWith('owner', 'queue/'),
        }),
      ),
    );
    const winner = outcomes.findIndex((outcome) => outcome.applied);
    expect(outcomes.filter((outcome) => outcome.applied)).toHaveLength(1);
    for (const outcome of outcomes) expect(outcome.row).toMatchObject({ owner: `run/${winner}`, starts: 1 });
  });

  test('64 additions at the same time all count', async () => {
    await Promise.all(
      Array.from({ length: 64 }, () => tables.write({ op: 'update', table: 'control', key: { pk: 'c', sk: 'c' }, set: {}, add: { n: 1 } })),
    );
    expect(await tables.get('control', { pk: 'c', sk: 'c' })).toMatchObject({ n: 64 });
  });

  test.each<[string, () => Promise<unknown>]>([
    ['a row of more than 400 KB', () => put({ id: 'a', payload: 'x'.repeat(400 * 1024) })],
    [
      'an update that makes a row of more than 400 KB',
      async () => {
        await put({ id: 'a', one: 'x'.repeat(300 * 1024) });
        return tables.write({ op: 'update', table: 'jobs', key: { id: 'a' }, set: { two: 'x'.repeat(200 * 1024) } });
      },
    ],
    ['a row without its key', () => put({ other: 'a' })],
    ['a key that is empty', () => put({ id: '' })],
    ['a key of more than 2048 bytes', () => put({ id: 'x'.repeat(2049) })],
    ['an update of the key', () => tables.write({ op: 'update', table: 'jobs', key: { id: 'a' }, set: { id: 'b' } })],
    ['one attribute changed twice', () => tables.write({ op: 'update', table: 'jobs', key: { id: 'a' }, set: { n: 1 }, add: { n: 1 } })],
    [
      'adding to a text',
      async () => {
        await put({ id: 'a', n: 'text' });
        return tables.write({ op: 'update', table: 'jobs', key: { id: 'a' }, set: {}, add: { n: 1 } });
      },
    ],
    ['a number that is none', () => put({ id: 'a', n: Number.NaN })],
    ['an index key that is no text', () => tables.write({ op: 'put', table: 'deadLetters', row: { id: 'a', typeLeaf: 1, failedAt: 'x' } })],
    ['a condition without conditions', () => put({ id: 'a' }, all())],
    ['a key with an attribute too many', () => tables.get('jobs', { id: 'a', other: 'b' })],
  ])('refuses %s', async (_name, attempt) => {
    await expect(attempt()).rejects.toThrow(StoreRefusedError);
  });

  test('a row of 390 KB is taken', async () => {
    expect(await put({ id: 'a', payload: 'x'.repeat(390 * 1024) })).toMatchObject({ applied: true });
  });

  test('hostile attribute names and values are only data', async () => {
    const row = JSON.parse('{"id":"constructor","__proto__":"own","toString":"text","shard":"reserved","hasOwnProperty":1}') as Row;
    await put(row);
    const found = await tables.get('jobs', { id: 'constructor' });
    // Whether an attribute of that name survives is the SDK's affair; it must not become anything else.
    const { ['__proto__']: _own, ...others } = found ?? {};
    expect(others).toEqual({ id: 'constructor', toString: 'text', shard: 'reserved', hasOwnProperty: 1 });
    expect(Object.getPrototypeOf(found)).toBe(Object.prototype);
    expect(await put({ id: 'constructor' }, absent('valueOf'))).toMatchObject({ applied: true });
  });
});
