import fc from 'fast-check';
import type { IndexSpec } from '../../../../shared/ports/table-spec.ts';
import { TABLE_SPECS } from '../../../../shared/ports/table-spec.ts';
import type { Condition, Query, Row, RowKey, SingleWrite, TableName, Write } from '../../../../shared/ports/tables.ts';
import type { Operation, Trouble } from './operation.ts';
import { anyAttribute, anyTable, ATTRIBUTES, attributes, keyNames, keyOfTable, keyText, rowOf, valueOf } from './row-space.ts';

/** Drops undefined properties, which the port does not allow. */
function given<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined && one !== null)) as Value;
}

const comparison = (attribute: string): fc.Arbitrary<Condition> =>
  fc
    .tuple(fc.constantFrom('equals', 'beginsWith', 'atMost'), fc.oneof(valueOf(attribute), fc.constantFrom('queue/', 1, true, '')))
    .map(([test, value]): Condition => ({ test, attribute, value }));

const { condition } = fc.letrec<{ condition: Condition; simple: Condition; list: Condition }>((tie) => ({
  simple: fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({ test: fc.constantFrom('absent', 'present'), attribute: fc.constantFrom(...ATTRIBUTES, 'id', 'pk') }),
    },
    { weight: 3, arbitrary: anyAttribute.chain(comparison) },
  ),
  list: fc.record({ test: fc.constantFrom('all', 'any'), of: fc.array(tie('condition'), { minLength: 0, maxLength: 3, size: 'max' }) }),
  condition: fc.oneof({ maxDepth: 2 }, { weight: 3, arbitrary: tie('simple') }, { weight: 1, arbitrary: tie('list') }),
}));
const maybeCondition = fc.option(condition, { freq: 2, nil: undefined });

const added = fc.record(
  { rev: fc.constantFrom(1, -1), n: fc.constantFrom(1, 0.5, Number.NaN), fresh: fc.constant(2) },
  { requiredKeys: [] },
);
const putOf = (table: TableName): fc.Arbitrary<SingleWrite> =>
  fc.tuple(rowOf(table), maybeCondition).map(([row, condition]) => given({ op: 'put' as const, table, row, condition }) as SingleWrite);
const deleteOf = (table: TableName): fc.Arbitrary<SingleWrite> =>
  fc
    .tuple(keyOfTable(table), maybeCondition)
    .map(([key, condition]) => given({ op: 'delete' as const, table, key, condition }) as SingleWrite);
const updateOf = (table: TableName): fc.Arbitrary<SingleWrite> =>
  fc
    .record({
      key: keyOfTable(table),
      set: fc.option(attributes, { freq: 4, nil: {} }),
      remove: fc.option(fc.subarray([...ATTRIBUTES, ...keyNames(table)].slice(-9), { maxLength: 2 }), { freq: 2, nil: undefined }),
      add: fc.option(added, { freq: 2, nil: undefined }),
      condition: maybeCondition,
      clean: fc.integer({ min: 0, max: 9 }),
    })
    .map(({ key, set, remove, add, condition, clean }): SingleWrite => {
      // Mostly each attribute is changed once only; what is left over is refused.
      const taken = new Set(clean === 0 ? [] : [...Object.keys(set), ...(clean === 1 ? [] : keyNames(table))]);
      const adds =
        add === undefined
          ? undefined
          : (Object.fromEntries(Object.entries(add).filter(([name]) => !taken.has(name))) as Record<string, number>);
      const removes = remove?.filter((name) => !taken.has(name) && !(clean > 0 && adds !== undefined && name in adds));
      return given({ op: 'update' as const, table, key, set, remove: removes, add: adds, condition }) as SingleWrite;
    });

const single: fc.Arbitrary<SingleWrite> = anyTable.chain((table) => fc.oneof(putOf(table), updateOf(table), deleteOf(table)));
const inTransaction: fc.Arbitrary<Write> = fc.oneof(
  { weight: 5, arbitrary: single },
  {
    weight: 1,
    arbitrary: anyTable.chain((table) =>
      fc
        .tuple(keyOfTable(table), maybeCondition)
        .map(([key, condition]): Write => ({ op: 'check', table, key, ...(condition === undefined ? {} : { condition }) })),
    ),
  },
);

const rowName = (write: Write): string => {
  const row: Row = write.op === 'put' ? write.row : write.key;
  return JSON.stringify([write.table, ...keyNames(write.table).map((name) => row[name])]);
};
const distinct = (writes: readonly Write[]): readonly Write[] => [...new Map(writes.map((write) => [rowName(write), write])).values()];
const crowd = (count: number, kilobytes: number): readonly Write[] =>
  Array.from({ length: count }, (_, index): Write => ({
    op: 'put',
    table: 'jobs',
    row: { id: `crowd-${index}`, payload: 'x'.repeat(kilobytes * 1024) },
  }));

const writesOfTransaction: fc.Arbitrary<readonly Write[]> = fc.oneof(
  { weight: 300, arbitrary: fc.array(inTransaction, { minLength: 1, maxLength: 5, size: 'max' }).map(distinct) },
  { weight: 15, arbitrary: fc.array(inTransaction, { minLength: 0, maxLength: 4, size: 'max' }) },
  { weight: 2, arbitrary: fc.constantFrom(100, 101).map((count) => crowd(count, 0)) },
  { weight: 1, arbitrary: fc.constant(crowd(13, 350)) },
);

const trouble: fc.Arbitrary<Trouble | undefined> = fc.option(
  fc.oneof(
    fc.constant({ closed: true as const }),
    fc.constantFrom(1, 3, 5, 6, 9).map((conflicts) => ({ conflicts })),
  ),
  { freq: 15, nil: undefined },
);

const PARTITIONED: readonly TableName[] = ['timers', 'timers', 'control', 'history', 'jobs'];
const limit = fc.oneof({ weight: 30, arbitrary: fc.integer({ min: 1, max: 4 }) }, { weight: 1, arbitrary: fc.constantFrom(0, -1, 1.5) });

const query: fc.Arbitrary<Operation> = fc.constantFrom(...PARTITIONED).chain((table) => {
  const { partition, sort } = TABLE_SPECS[table];
  const texts = sort === undefined ? fc.constant(undefined) : fc.option(keyText(sort), { freq: 3, nil: undefined });
  const ranges = fc.option(fc.constantFrom('2026-01', 's', 'b', ''), { freq: 5, nil: undefined });
  return fc
    .record({
      partition: fc.oneof({ weight: 40, arbitrary: keyText(partition) }, { weight: 1, arbitrary: fc.constant('') }),
      from: ranges,
      through: fc.oneof(ranges, texts),
      limit,
      after: texts,
      consistent: fc.boolean(),
      newestFirst: fc.boolean(),
      walk: fc.boolean(),
    })
    .map(({ walk, after, ...asked }): Operation => {
      const { from, through } = asked;
      const inRange = after !== undefined && (from === undefined || after > from) && (through === undefined || after < through);
      const start: RowKey | undefined =
        inRange && sort !== undefined && after !== undefined ? { [partition]: asked.partition, [sort]: after } : undefined;
      // A table without sort keys has no second page, and some emulators give the first one forever.
      return { op: 'query', query: given({ ...asked, table, after: start }) as Query, walk: walk && sort !== undefined };
    });
});

const INDEXES = (['deadLetters', 'suspended'] as const).flatMap((table) =>
  Object.entries<IndexSpec>(TABLE_SPECS[table].indexes).map(([index, spec]) => ({ table, index, spec })),
);
const indexQuery: fc.Arbitrary<Operation> = fc.constantFrom(...INDEXES).chain(({ table, index, spec }) =>
  fc
    .record({
      partition: valueOf(spec.partition) as fc.Arbitrary<string>,
      from: fc.option(fc.constantFrom('1', '2'), { nil: undefined }),
      limit,
      newestFirst: fc.boolean(),
      consistent: fc.integer({ min: 0, max: 15 }).map((one) => one === 0),
      // An index that another table has.
      index: fc.integer({ min: 0, max: 30 }).map((one) => (one === 0 ? 'byNothing' : index)),
    })
    .map((asked): Operation => ({ op: 'query', query: given({ ...asked, table }) as Query, walk: true })),
);

const scan: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .record({ table: anyTable, segments: fc.integer({ min: 1, max: 3 }), limit, filter: maybeCondition })
      .map((asked) => given({ op: 'scan' as const, ...asked }) as Operation),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('scan-nowhere' as const),
      table: anyTable,
      segment: fc.constantFrom(-1, 2),
      segments: fc.constant(2),
    }),
  },
);

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 3, arbitrary: anyTable.chain((table) => keyOfTable(table).map((key): Operation => ({ op: 'get', table, key }))) },
  {
    weight: 12,
    arbitrary: fc.tuple(single, trouble).map(([write, trouble]) => given({ op: 'write' as const, write, trouble }) as Operation),
  },
  {
    weight: 8,
    arbitrary: fc
      .tuple(writesOfTransaction, fc.constantFrom('one', 'two', 'three', 'four'), fc.boolean(), trouble)
      .map(
        ([writes, token, fresh, trouble]): Operation =>
          given({ op: 'transact' as const, writes, token: fresh ? 'fresh' : token, trouble }) as Operation,
      ),
  },
  { weight: 1, arbitrary: fc.constant<Operation>({ op: 'again' }) },
  {
    weight: 2,
    arbitrary: anyTable.chain((table) =>
      fc
        .tuple(fc.array(rowOf(table), { maxLength: 5 }), fc.integer({ min: 0, max: 9 }))
        .map(([rows, closed]): Operation => ({ op: 'putAll', table, rows, ...(closed === 0 ? { closed: true as const } : {}) })),
    ),
  },
  { weight: 4, arbitrary: query },
  { weight: 2, arbitrary: indexQuery },
  { weight: 2, arbitrary: scan },
);

/** A sequence of operations. */
export const operations: fc.Arbitrary<readonly Operation[]> = fc.array(operation, { minLength: 1, maxLength: 60, size: 'max' });
