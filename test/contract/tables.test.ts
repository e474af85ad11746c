import { AssertionError } from 'node:assert';
import { describe, expect, test } from 'vitest';
import { tablesContract } from '../../testing/contract/tables-contract.ts';
import { TABLES_UNDER_TEST } from './tables-under-test.ts';

/** What an emulator is known to do otherwise; docs/reference/emulators.md says why nothing depends on it. */
const KNOWN_DIFFERENCES: Readonly<Record<string, readonly string[]>> = {
  'dynamodb-local': ['whether nothing is due costs half a read unit, asked consistently one'],
};
const known = KNOWN_DIFFERENCES[process.env['NIGHTCREW_TEST_STORE'] ?? ''] ?? [];

describe.each(TABLES_UNDER_TEST)('tables in %s', (store, open) => {
  const differs = ({ title }: { readonly title: string }): boolean => store.startsWith('DynamoDB') && known.includes(title);
  test.each(tablesContract.filter((one) => !differs(one)))('$title', async ({ check }) => check(await open()));
  const others = tablesContract.filter(differs);
  // Turns red when the difference has gone.
  test.each(others)('otherwise here: $title', async ({ check }) => expect(check(await open())).rejects.toThrow(AssertionError));
});
