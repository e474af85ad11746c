import { expect, it } from 'vitest';
import { PERMISSIONS, type TableAction } from '../../infra/permissions.ts';
import { createAdminOver } from '../../shared/admin/admin.ts';
import { defineJob } from '../../shared/core/job-type.ts';
import { fail } from '../../shared/core/verdict.ts';
import type { TableName, Tables, Write } from '../../shared/ports/tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const ACTIONS: Readonly<Record<Write['op'], TableAction>> = {
  put: 'PutItem',
  update: 'UpdateItem',
  delete: 'DeleteItem',
  check: 'ConditionCheckItem',
};

function noting(inner: Tables, used: Set<string>): Tables {
  const note = (table: TableName, action: string): void => void used.add(`${table} ${action}`);
  return {
    get: async (table, key) => (note(table, 'GetItem'), inner.get(table, key)),
    write: async (write, window) => (note(write.table, ACTIONS[write.op]), inner.write(write, window)),
    async transact(writes, token, terms) {
      for (const write of writes) note(write.table, ACTIONS[write.op]);
      return inner.transact(writes, token, terms);
    },
    putAll: async (table, rows, window) => (note(table, 'BatchWriteItem'), inner.putAll(table, rows, window)),
    query: async (query) => (note(query.table, query.index === undefined ? 'Query' : `index ${query.index}`), inner.query(query)),
    scan: async (scan) => (note(scan.table, 'Scan'), inner.scan(scan)),
  };
}

const granted = new Set(
  (['read', 'operate'] as const).flatMap((role) => {
    const { tables, indexes } = PERMISSIONS[role];
    return [
      ...Object.entries(tables).flatMap(([table, actions]) => actions.map((action) => `${table} ${action}`)),
      ...Object.entries(indexes ?? {}).flatMap(([table, names]) => names.map((name) => `${table} index ${name}`)),
    ];
  }),
);

it('an operator may do everything that suspends, hurries, stops, lists and audits', async () => {
  const used = new Set<string>();
  const work = defineJob('work', { payload: anyPayload });
  const rig = new Rig({ handlers: [work.handle(() => fail('asked to'))] });
  const admin = createAdminOver({ ...rig.parts, tables: noting(rig.tables, used) });
  const dead = await rig.client.enqueue(work, {});
  await rig.drain();
  for (const delay of ['PT0S', 'PT5H']) {
    const [one, two, three] = [
      await rig.client.enqueue(work, {}, { delay }),
      await rig.client.enqueue(work, {}, { delay }),
      await rig.client.enqueue(work, {}, { delay, group: 'g' }),
    ];
    for (const { id } of [one, two, three]) await admin.setPriority(id, 3);
    for (const { id } of [one, two]) await admin.breakpoint(id, { reason: 'test' });
    await admin.setPriority(one.id, 4);
    await admin.activateJob(one.id);
    for (const { id } of [two, three]) await admin.runNow(id);
  }
  await admin.suspend('all', { reason: 'test' });
  await admin.overridePriority({ type: 'work' }, 1);
  await Promise.all([admin.suspensions(), admin.priorities(), admin.count(), admin.audit()]);
  for (const state of ['ready', 'waiting', 'suspended', 'dead'] as const) await admin.list({ state });
  await admin.clearPriority({ type: 'work' });
  await admin.activate('all');
  await admin.redrive(dead.id);
  await admin.forTenant('acme').redrive(dead.id);
  expect(used.size).toBeGreaterThan(15);
  expect([...used].filter((call) => !granted.has(call))).toEqual([]);
});
