import { systemClock, systemEntropy } from '../../shared/config/system.ts';
import { createDynamoTables } from '../../shared/dynamo/tables.ts';
import { createMemoryTables } from '../../shared/memory/tables.ts';
import type { Condition, Page, Row, Tables } from '../../shared/ports/tables.ts';
import { freshTables } from '../support/emulators.ts';

/** Every implementation of the port, by name; `open` gives empty tables. */
export const TABLES_UNDER_TEST: readonly (readonly [string, () => Promise<Tables>])[] = [
  ['memory', async () => createMemoryTables({ clock: systemClock })],
  ['Dynoxide', async () => createDynamoTables({ ...(await freshTables()), clock: systemClock, entropy: systemEntropy })],
];

export const absent = (attribute: string): Condition => ({ test: 'absent', attribute });
export const present = (attribute: string): Condition => ({ test: 'present', attribute });
export const equals = (attribute: string, value: string | number | boolean): Condition => ({ test: 'equals', attribute, value });
export const beginsWith = (attribute: string, value: string): Condition => ({ test: 'beginsWith', attribute, value });
export const atMost = (attribute: string, value: string | number): Condition => ({ test: 'atMost', attribute, value });
export const all = (...of: Condition[]): Condition => ({ test: 'all', of });
export const any = (...of: Condition[]): Condition => ({ test: 'any', of });

/** All pages, each asked for with the cursor of the one before. */
export async function everyPage(ask: (after?: Page['cursor']) => Promise<Page>): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let after: Page['cursor'];
  do {
    const page = await ask(after);
    rows.push(...page.rows);
    after = page.cursor;
  } while (after !== undefined);
  return rows;
}
