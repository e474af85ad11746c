import { expect, test } from 'vitest';
import { reportCounts } from '../../local/report-counts.ts';
import { Ledger } from '../../local/shop/ledger.ts';
import type { Shop } from '../../local/shop/shop.ts';

test('a line says so when the tables do not answer any more', async () => {
  const stop = new AbortController();
  const written: string[] = [];
  const dynamo = { send: () => Promise.reject(new TypeError('fetch failed')) };
  await reportCounts({
    shop: { ledger: new Ledger(), region: { dynamo, tables: {} } } as unknown as Shop,
    orders: () => 0,
    write: (text) => {
      written.push(text);
      stop.abort();
    },
    signal: stop.signal,
  });
  expect(written.join('')).toContain('DynamoDB of this region does not answer (');
});

test('a job that was cancelled counts once, whichever process saw it', () => {
  const ledger = new Ledger();
  const journal = ledger.journal(undefined);
  const job = { id: 'a', type: 't', worker: 'w', attempt: 1 };
  ledger.cancelled.add('a');
  ledger.cancelled.add('b');
  journal.record({ event: 'cancelled', job });
  journal.record({ event: 'cancelled', job: { ...job, id: 'c' } });
  expect(ledger.cancellations).toBe(3);
});
