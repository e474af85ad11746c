import assert from 'node:assert/strict';
import { makeJobId } from '../../shared/job/job-id.ts';
import type { PayloadStore } from '../../shared/ports/payload-store.ts';
import type { ContractCheck } from './contract.ts';

/** What a payload store provides to each check: an empty store. */
export interface PayloadsSubject {
  readonly payloads: PayloadStore;
  /** Epoch milliseconds by the clock of the store, to about a minute. */
  readonly now: () => number;
}

const [A, B] = [1, 2].map((n) => makeJobId(n, new Uint8Array(10).fill(n))) as [string, string];

/** Everything that the port `PayloadStore` promises, as checks for any test runner; see `tablesContract`. */
export const payloadsContract: readonly ContractCheck<PayloadsSubject>[] = [
  {
    title: 'a text is there as it was put, under a key that begins with its job',
    async check({ payloads }) {
      for (const text of ['{"a":"Zoë \u{1F980} \u2028 \\u0000"}', 'x'.repeat(6 * 1024 * 1024), '0']) {
        const ref = await payloads.put(A, text);
        assert.match(ref.key, new RegExp(`^${A}/[A-Za-z0-9_-]+$`));
        assert.notEqual(ref.version, '');
        assert.equal(await payloads.get(ref), text);
      }
    },
  },
  {
    title: 'each put has a key of its own, of one job too',
    async check({ payloads }) {
      const refs = await Promise.all([A, A, B].map(async (job, n) => payloads.put(job, String(n))));
      assert.equal(new Set(refs.map(({ key }) => key)).size, 3);
      assert.deepEqual(await Promise.all(refs.map(async (ref) => payloads.get(ref))), ['0', '1', '2']);
    },
  },
  {
    title: 'a key that was deleted is not listed, and its text is still there by its version',
    async check({ payloads }) {
      const ref = await payloads.put(A, 'text');
      await payloads.delete(ref.key);
      await payloads.delete(ref.key);
      assert.deepEqual(await payloads.list(), { payloads: [] });
      assert.equal(await payloads.get(ref), 'text');
    },
  },
  {
    title: 'a delete of a key that never was is no error, and what never was is not there',
    async check({ payloads }) {
      await payloads.delete(`${A}/never`);
      const { version } = await payloads.put(A, 'text');
      assert.equal(await payloads.get({ key: `${A}/never`, version }), undefined);
    },
  },
  {
    title: 'a list is in the order of the keys, with sizes and times, and continues after a key',
    async check({ payloads, now }) {
      const since = now();
      const keys: string[] = [];
      for (const job of [B, A, A]) keys.push((await payloads.put(job, 'Zoë')).key);
      keys.sort();
      const { payloads: all, next } = await payloads.list();
      assert.equal(next, undefined);
      assert.deepEqual(
        all.map(({ key }) => key),
        keys,
      );
      for (const { bytes, storedAt } of all) {
        assert.equal(bytes, 4);
        assert.ok(Math.abs(storedAt - since) < 60_000, `stored at ${storedAt}, not at ${since}`);
      }
      assert.deepEqual(
        (await payloads.list(keys[0])).payloads.map(({ key }) => key),
        keys.slice(1),
      );
      assert.deepEqual((await payloads.list(keys[2])).payloads, []);
    },
  },
];
