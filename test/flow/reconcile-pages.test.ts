import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { followUp } from '../../shared/job/follow-up.ts';
import { iso } from '../../shared/job/instant.ts';
import type { Row, Scan } from '../../shared/ports/tables.ts';
import { batchLeafKey } from '../../shared/store/control-rows.ts';
import { idKey } from '../../shared/store/rows.ts';
import { kindsOf, narrow, remove, type Restored, restoredRig, work } from '../support/restored-rig.ts';
import { shortPages } from '../support/short-pages.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const COPIES = { jobs: 'early-jobs', timers: 'early-timers' };

const dropTimer = async (rig: Restored, row: Row): Promise<void> =>
  remove(rig, 'timers', { shard: String(row['shard']), due: String(row['due']) });
describe('a run', () => {
  it('finds the same on pages of one row each', async () => {
    const rig = restoredRig({ history: 'outcome' });
    for (let n = 0; n < 3; n++) await rig.client.enqueue(work, {}, { delay: HOUR, key: `k${n}` });
    for (let n = 0; n < 2; n++) await rig.client.enqueueBatch(work, [{}], { onCompleted: followUp(narrow, {}) });
    await rig.deliver();
    await rig.copy.putAll('timers', await rig.rows('timers'));
    for (const { id } of await rig.rows('jobs')) await remove(rig, 'jobs', idKey(String(id)));
    for (const timer of await rig.rows('timers')) await dropTimer(rig, timer);
    for (let n = 0; n < 2; n++) {
      const { id } = await rig.client.enqueueBatch(work, [{}, {}]);
      await rig.tables.write({ op: 'update', table: 'control', key: batchLeafKey(id, 1), set: {}, add: { succeeded: 1 } });
    }
    const options = { copies: COPIES, restoredTo: iso(rig.clock.now()) };
    const whole = await kindsOf(rig, options);
    expect(whole).toEqual({ 'job-missing': '3 found', 'key-orphan': '3 found', 'callback-missing': '2 found', 'batch-counts': '2 found' });
    let [after, found]: [string | undefined, number] = [undefined, 0];
    const admin = () => createAdminOver({ ...rig.deps, tables: twiceTallied(rig), tablesNamed: () => shortPages(rig.copy) });
    do {
      const report: Awaited<ReturnType<typeof rig.admin.reconcile>> = await admin().reconcile({
        ...options,
        maxRows: 1,
        ...(after === undefined ? {} : { after }),
      });
      found += report.findings.reduce((sum, one) => sum + one.found, 0);
      after = report.next;
    } while (after !== undefined);
    expect(found).toBe(10);
    const { findings, rows } = await rig.admin.reconcile();
    expect(findings.map(({ kind }) => kind)).toEqual(['key-orphan', 'batch-counts']);
    // The jobs, the rows of Control, and the jobs twice more for their batches.
    expect(rows).toBe(4 + (await rig.rows('control')).length + 8);
  });

  it('asks Control only for callbacks that were used up', async () => {
    const rig = restoredRig();
    const asked: Scan['filter'][] = [];
    const scan = async (one: Scan) => {
      if (one.table === 'control') asked.push(one.filter);
      return rig.tables.scan(one);
    };
    await createAdminOver({ ...rig.deps, tables: { ...rig.tables, scan } }).reconcile({ restoredTo: iso(rig.clock.now()) });
    expect(asked).toContainEqual({
      test: 'all',
      of: [
        { test: 'beginsWith', attribute: 'sk', value: 'call#' },
        { test: 'beginsWith', attribute: 'pk', value: 'batch#' },
        { test: 'present', attribute: 'expiresAt' },
      ],
    });
  });
});

/** Pages of one row; the tally of batches reads everything twice, which `shortPages` would take for a loop. */
function twiceTallied(rig: Restored): ReturnType<typeof shortPages> {
  const [first, tallies] = [shortPages(rig.tables), new Map<string, number>()];
  return {
    ...first,
    scan: async (scan) => {
      if (scan.filter?.test !== 'present') return first.scan(scan);
      const page = JSON.stringify(scan);
      tallies.set(page, (tallies.get(page) ?? 0) + 1);
      if ((tallies.get(page) ?? 0) > 2) throw new Error(`asked too often: ${page}`);
      return rig.tables.scan({ ...scan, limit: 1 });
    },
  };
}
