import { expect, it } from 'vitest';
import { PERMISSIONS } from '../../infra/permissions.ts';
import { createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { fail } from '../../shared/job/verdict.ts';
import type { TableName, Tables } from '../../shared/ports/tables.ts';
import { idOf } from '../support/job-rows.ts';
import { anyPayload, Rig } from '../support/rig.ts';

/** Tables that may be read and not written. */
function readOnly(inner: Tables, used: Set<string>): Tables {
  const note = (table: TableName, action: string): void => void used.add(`${table} ${action}`);
  const refuse = async (): Promise<never> => Promise.reject(new Error('this is a write'));
  return {
    get: async (table, key) => (note(table, 'GetItem'), inner.get(table, key)),
    query: async (query) => (note(query.table, 'Query'), inner.query(query)),
    scan: refuse,
    write: refuse,
    transact: refuse,
    putAll: refuse,
  };
}

it('who may only read may have jobs explained and workers listed', async () => {
  const used = new Set<string>();
  const work = defineJob('work', { payload: anyPayload });
  const rig = new Rig({ handlers: [work.handle(() => fail('asked to'))] });
  const reader = createAdminOver({ ...rig.deps, tables: readOnly(rig.tables, used), backlog: rig.hints });
  const dead = await rig.client.enqueue(work, {});
  await rig.drain();
  const ready = await rig.client.enqueue(work, {}, { group: 'g' });
  const waiting = await rig.client.enqueue(work, {}, { delay: 'PT5H' });
  const stopped = await rig.client.enqueue(work, {});
  await createAdminOver(rig.deps).breakpoint(stopped.id, { reason: 'test' });
  const told = await Promise.all([dead, ready, waiting, stopped].map(async ({ id }) => reader.explain(id)));
  expect(told.map((one) => one?.state)).toEqual(['dead', 'ready', 'waiting', 'suspended']);
  expect(await reader.explain(idOf(5))).toBeUndefined();
  expect(await reader.workers()).toEqual([]);
  const { tables, queues } = PERMISSIONS.read;
  const granted = new Set(Object.entries(tables).flatMap(([table, actions]) => actions.map((action) => `${table} ${action}`)));
  expect([...used].filter((one) => !granted.has(one))).toEqual([]);
  expect(queues).toContain('GetQueueAttributes');
});
