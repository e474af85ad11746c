import fc from 'fast-check';
import { TABLE_NAMES, TABLE_SPECS } from '../../../../shared/ports/table-spec.ts';
import type { Row, RowKey, TableName } from '../../../../shared/ports/tables.ts';

const KEY_TEXTS: Readonly<Record<string, readonly string[]>> = {
  id: ['a', 'b', '🚚'],
  shard: ['00', '3f'],
  due: ['2026-01-01T00:00:00.000Z#a', '2026-01-01T00:00:00.000Z#b', '2026-02', '\uFFFD'],
  pk: ['p', 'q'],
  sk: ['s', 't'],
  day: ['2026-01-01#0', '2026-01-02#f'],
};

/** Values by attribute: those that the verbs use, those that an index lists by, and names that are reserved words. */
const VALUES: Readonly<Record<string, fc.Arbitrary<string | number | boolean>>> = {
  rev: fc.integer({ min: -1, max: 3 }),
  n: fc.constantFrom(0, 0.5, -2.25, 10, 9_007_199_254_740_991, 1e-7, 1e21),
  owner: fc.constantFrom('queue/0/a', 'queue/1/b', 'run/x', 'alone/y', ''),
  at: fc.constantFrom('2026-01-01T00:00:00.000Z', '2026', '\uFFFD', '\u{1F69A}', ''),
  yes: fc.boolean(),
  type: fc.constantFrom('mail', 'x y'),
  size: fc.constantFrom('reserved', 'word'),
  typeLeaf: fc.constantFrom('mail#0', 'mail#1'),
  fingerprintLeaf: fc.constantFrom('f#0', 'f#1'),
  failedAt: fc.constantFrom('1', '2', '3'),
  causeLeaf: fc.constantFrom('c#0', 'c#1'),
  suspendedAt: fc.constantFrom('1', '2'),
};

/** What makes a row unfit: the wrong kind, no number, an empty string where an index has its key, too many bytes. */
const unfit: fc.Arbitrary<Row> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...Object.keys(VALUES)),
        fc.constantFrom('5', 5, true, '', Number.NaN, Number.POSITIVE_INFINITY, 1e130, -1e-140),
      )
      .map(([name, value]) => ({ [name]: value })),
  },
  // Half too large: two of them in one row are too much.
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('payload', 'blob'), fc.constantFrom(210, 210, 405))
      .map(([name, kilobytes]) => ({ [name]: 'x'.repeat(kilobytes * 1024) })),
  },
);

export const ATTRIBUTES: readonly string[] = Object.keys(VALUES);
export const anyTable: fc.Arbitrary<TableName> = fc.constantFrom(...TABLE_NAMES);
export const anyAttribute: fc.Arbitrary<string> = fc.constantFrom(...ATTRIBUTES);

/** Key attributes of a table, partition first. */
export function keyNames(table: TableName): readonly string[] {
  const { partition, sort } = TABLE_SPECS[table];
  return sort === undefined ? [partition] : [partition, sort];
}

/** A text of one key attribute. */
export const keyText = (attribute: string): fc.Arbitrary<string> => fc.constantFrom(...(KEY_TEXTS[attribute] ?? ['']));

const fitKey = (table: TableName): fc.Arbitrary<RowKey> =>
  fc.record(Object.fromEntries(keyNames(table).map((name) => [name, keyText(name)])));

/** Keys that no row can have: too few attributes, too many, empty, no text, too long. */
const unfitKey = (table: TableName): fc.Arbitrary<RowKey> =>
  fc.tuple(fitKey(table), fc.constantFrom(...keyNames(table)), fc.nat(4)).map(([key, name, fault]) => {
    const { [name]: _without, ...rest } = key;
    const values: readonly unknown[] = ['', 7, 'k'.repeat(2049)];
    if (fault === 3) return rest;
    return fault === 4 ? { ...key, other: 'x' } : ({ ...key, [name]: values[fault] } as RowKey);
  });

/** A key, rarely an unfit one. */
export const keyOfTable = (table: TableName): fc.Arbitrary<RowKey> =>
  fc.oneof({ weight: 40, arbitrary: fitKey(table) }, { weight: 1, arbitrary: unfitKey(table) });

/** A value of one attribute. */
export const valueOf = (attribute: string): fc.Arbitrary<string | number | boolean> => VALUES[attribute] ?? keyText(attribute);

/** Some attributes with values that fit, rarely with one that does not. */
export const attributes: fc.Arbitrary<Row> = fc
  .tuple(fc.record(VALUES, { requiredKeys: [] }), fc.option(unfit, { freq: 12 }))
  .map(([fit, unfit]) => ({ ...fit, ...unfit }) as Row);

/** A row of a table. */
export const rowOf = (table: TableName): fc.Arbitrary<Row> =>
  fc.tuple(attributes, keyOfTable(table)).map(([values, key]): Row => ({ ...values, ...key }));
