import type { Page, Query, Scan, Tables } from '../../shared/ports/tables.ts';

/** Tables that give one row a page, as DynamoDB may. Throws when the same page is asked for twice. */
export function shortPages(tables: Tables): Tables {
  const asked = new Set<string>();
  const short = async <Asked extends Query | Scan>(place: Asked, read: (asked: Asked) => Promise<Page>): Promise<Page> => {
    const page = JSON.stringify({ ...place, limit: 1 });
    if (asked.has(page)) throw new Error(`asked twice: ${page}`);
    asked.add(page);
    return read({ ...place, limit: 1 });
  };
  return {
    get: tables.get.bind(tables),
    putAll: tables.putAll.bind(tables),
    write: tables.write.bind(tables),
    transact: tables.transact.bind(tables),
    query: async (query) => short(query, async (asked) => tables.query(asked)),
    scan: async (scan) => short(scan, async (asked) => tables.scan(asked)),
  };
}
