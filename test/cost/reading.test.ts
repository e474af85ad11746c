import { expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { deadLetterRow } from '../../shared/store/rows.ts';
import { idOf } from '../support/job-rows.ts';
import { Rig } from '../support/rig.ts';

const PAYLOAD = JSON.stringify({ text: 'x'.repeat(2_000) });

/** Dead letters of twenty types, as many of each. */
async function crowd(count: number): Promise<Rig> {
  const rig = new Rig();
  const now = rig.clock.now();
  const counters = { rev: 3, starts: 3, failures: 3, crashes: 0, snoozes: 0, dispatches: 3, chainDepth: 0, schemaVersion: 1, priority: 0 };
  const fixed = { payload: PAYLOAD, worker: 'default', lane: 'default', kind: 'async', reason: 'retries-exhausted' } as const;
  const rows = Array.from({ length: count }, (_, n) => {
    const error = { name: 'Error', message: 'The bank did not answer', stack: 'x'.repeat(1_500), at: now - n };
    const own = { id: idOf(n + 1, now - n * 1_000), type: `type-${n % 20}`, fingerprint: `print-${n % 20}`, error };
    return deadLetterRow({ ...counters, ...fixed, ...own, dueAt: now, createdAt: now, failedAt: now - n });
  });
  for (let at = 0; at < rows.length; at += 1_000) await rig.tables.putAll('deadLetters', rows.slice(at, at + 1_000));
  return rig;
}

it('a page of 100 dead letters of one type among 20,000 reads its index alone: at most 25 read units, as docs/operate/admin.md says', async () => {
  const rig = await crowd(20_000);
  const admin = createAdminOver(rig.deps);
  const first = await admin.list({ state: 'dead', type: 'type-7', limit: 100 });
  expect(first).toMatchObject({ servedBy: 'index byType of DeadLetters', order: 'newest-first' });
  expect(first.jobs).toHaveLength(100);
  expect(first.readUnits).toBeLessThanOrEqual(25);
  const second = await admin.list({ fingerprint: 'print-7', limit: 100 });
  expect([second.jobs.length, second.readUnits <= 25]).toEqual([100, true]);
  const counted = await admin.count({ state: 'dead', type: 'type-7' });
  expect(counted).toMatchObject({ dead: 1_000, total: 1_000, complete: true });
  expect(counted.readUnits).toBeLessThanOrEqual(120);
});
