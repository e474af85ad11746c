import { describe, test } from 'vitest';
import { tablesContract } from '../../shared/testing/contract/tables-contract.ts';
import { TABLES_UNDER_TEST } from './tables-under-test.ts';

describe.each(TABLES_UNDER_TEST)('tables in %s', (_, open) => {
  test.each(tablesContract)('$title', async ({ check }) => check(await open()));
});
