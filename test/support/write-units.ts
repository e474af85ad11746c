import { isDeepStrictEqual } from 'node:util';
import { keyOf, TABLE_SPECS } from '../../shared/ports/table-spec.ts';
import type { Row, SingleWrite, TableName, Tables, Write } from '../../shared/ports/tables.ts';
import { utf8Bytes } from '../../shared/job/size-limits.ts';

const UNIT_BYTES = 1_024;

/** As DynamoDB counts an item for a write: names and values, a number by its digits. */
function itemBytes(row: Row): number {
  return Object.entries(row).reduce((sum, [name, value]) => {
    const size = typeof value === 'string' ? utf8Bytes(value) : typeof value === 'number' ? Math.ceil(String(value).length / 2) + 1 : 1;
    return sum + utf8Bytes(name) + size;
  }, 0);
}

interface Charge {
  readonly row: number;
  readonly indexes: number;
}

const hasIndexes = (table: TableName): boolean => Object.keys(TABLE_SPECS[table].indexes).length > 0;

/** What the indexes of a table charge for a change of a row: a unit per KB of each entry that is put, changed or removed. No transaction doubles it. */
function indexUnits(table: TableName, before: Row, after: Row): number {
  const spec = TABLE_SPECS[table];
  return Object.values(spec.indexes).reduce((sum, { partition, sort, projects }) => {
    const columns = [...new Set([partition, ...(sort === undefined ? [] : [sort]), spec.partition, ...projects])];
    const entryOf = (row: Row): Row => {
      const isThere = row[partition] !== undefined && (sort === undefined || row[sort] !== undefined);
      return isThere ? Object.fromEntries(columns.flatMap((name) => (row[name] === undefined ? [] : [[name, row[name]]]))) : {};
    };
    const [old, fresh] = [entryOf(before), entryOf(after)];
    const unitsOf = (entry: Row): number => Math.ceil(itemBytes(entry) / UNIT_BYTES);
    if (isDeepStrictEqual(old, fresh)) return sum;
    const moves =
      unitsOf(old) > 0 && unitsOf(fresh) > 0 && (old[partition] !== fresh[partition] || (sort !== undefined && old[sort] !== fresh[sort]));
    return sum + (moves ? unitsOf(old) + unitsOf(fresh) : Math.max(unitsOf(old), unitsOf(fresh)));
  }, 0);
}

/** Tables that sum what DynamoDB would charge: a unit per KB written, twice that in a transaction, and what indexes cost; reads by request. */
export interface UnitMeter {
  readonly tables: Tables;
  /** Write units since the last reset. */
  writes(): number;
  /** Gets, queries and scans since the last reset. */
  reads(): number;
  reset(): void;
}

/** Counts over tables that keep rows. A write that only a condition stopped is charged too, as by DynamoDB. */
export function unitMeter(inner: Tables): UnitMeter {
  let [writes, reads] = [0, 0];
  const charge = async (write: Write): Promise<Charge> => {
    if (write.op === 'put' && !hasIndexes(write.table)) return { row: Math.ceil(itemBytes(write.row) / UNIT_BYTES), indexes: 0 };
    const key = write.op === 'put' ? keyOf(TABLE_SPECS[write.table], write.row) : write.key;
    const old: Row = (await inner.get(write.table, key)) ?? {};
    const fresh: Row = write.op === 'put' ? write.row : write.op === 'update' ? { ...old, ...write.set } : write.op === 'delete' ? {} : old;
    const larger = write.op === 'delete' ? old : fresh;
    return { row: Math.max(1, Math.ceil(itemBytes(larger) / UNIT_BYTES)), indexes: indexUnits(write.table, old, fresh) };
  };
  const pay = async (all: readonly Write[], times: number): Promise<void> => {
    const charges = await Promise.all(all.map(charge));
    writes += charges.reduce((sum, { row, indexes }) => sum + times * row + indexes, 0);
  };
  const read = <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    reads++;
    return answer;
  };
  return {
    writes: () => writes,
    reads: () => reads,
    reset: () => void ([writes, reads] = [0, 0]),
    tables: {
      get: (table, key) => read(inner.get(table, key)),
      query: (query) => read(inner.query(query)),
      scan: (scan) => read(inner.scan(scan)),
      async write(write: SingleWrite, window) {
        await pay([write], 1);
        return inner.write(write, window);
      },
      async transact(all, token, terms) {
        await pay(all, 2);
        return inner.transact(all, token, terms);
      },
      async putAll(table, rows, window) {
        await pay(
          rows.map((row) => ({ op: 'put', table, row })),
          1,
        );
        return inner.putAll(table, rows, window);
      },
    },
  };
}
