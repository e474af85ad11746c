import { expect, it } from 'vitest';
import { importFile, importOne } from '../../examples/large-payloads/import-file.ts';

it('a file of 5 MB is in the store while its job is there, and the row names it', async () => {
  expect(await importOne()).toBe('row: claim-check, true; 1 in the store; 450001 lines; then 0');
});

it('the types of a deployment can be imported where there is no bucket', () => {
  expect([importFile.codec?.name, importFile.codec?.payloadBytes]).toEqual(['claim-check', 6 * 1024 * 1024]);
});
