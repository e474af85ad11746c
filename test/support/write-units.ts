import type { Row, SingleWrite, Tables, Write } from '../../shared/ports/tables.ts';
import { utf8Bytes } from '../../shared/core/size-limits.ts';

const UNIT_BYTES = 1_024;

/** As DynamoDB counts an item for a write: names and values, a number by its digits. */
function itemBytes(row: Row): number {
  return Object.entries(row).reduce((sum, [name, value]) => {
    const size = typeof value === 'string' ? utf8Bytes(value) : typeof value === 'number' ? Math.ceil(String(value).length / 2) + 1 : 1;
    return sum + utf8Bytes(name) + size;
  }, 0);
}

/** Tables that sum what DynamoDB would charge: a unit per KB written, twice that in a transaction; reads by request. */
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
  const charge = async (write: Write): Promise<number> => {
    if (write.op === 'put') return Math.ceil(itemBytes(write.row) / UNIT_BYTES);
    const old: Row = (await inner.get(write.table, write.key)) ?? {};
    return Math.max(1, Math.ceil(itemBytes(write.op === 'update' ? { ...old, ...write.set } : old) / UNIT_BYTES));
  };
  const pay = async (all: readonly Write[], times: number): Promise<void> => {
    const units = await Promise.all(all.map(charge));
    writes += times * units.reduce((sum, one) => sum + one, 0);
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
