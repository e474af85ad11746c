import { expect, test } from 'vitest';
import { runBilling } from '../../examples/tenants/invoices.ts';

test('each tenant has its own jobs and keys, and what its jobs enqueue stays its own', async () => {
  expect(await runBilling()).toEqual([
    'acme again: billed already',
    'globex sees the job of acme: false',
    'globex cancels it: not-found',
    'globex enqueues for acme: refused',
    'acme gets its invoice of May',
    'globex gets its invoice of May',
  ]);
});
