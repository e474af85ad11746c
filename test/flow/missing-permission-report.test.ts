import { expect, it } from 'vitest';
import { permissionsCheck } from '../../cli/doctor/check-permissions.ts';
import type { Patient } from '../../cli/doctor/check.ts';
import { createAdminOver } from '../../operate/admin.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import { StoreRefusedError } from '../../shared/job/errors.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { watchPermissions } from '../../shared/lambda/permission-watch.ts';
import type { Tables } from '../../shared/ports/tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';

import { rigTables } from '../support/rig-tables.ts';

const work = defineJob('work', { payload: anyPayload, history: 'durable' });
const MINUTE = 60_000;
const HISTORY = 'arn:aws:dynamodb:eu-west-1:111122223333:table/Shop-History';
const LACKS = `dynamodb:PutItem on ${HISTORY}`;

/** A deployment whose functions may not write to History, until it is granted, and what its doctor finds. */
function withoutHistory() {
  const clock = new SettableClock();
  const tables = rigTables(clock);
  let granted = false;
  const transact = tables.transact.bind(tables);
  const guarded: Pick<Tables, 'transact'> = {
    transact: async (writes, ...rest) => {
      if (granted || !writes.some(({ table }) => table === 'history')) return transact(writes, ...rest);
      const why = `User: arn:aws:sts::1:assumed-role/executor is not authorized to perform: dynamodb:PutItem on resource: ${HISTORY}`;
      throw new StoreRefusedError('transact', Object.assign(new Error(why), { name: 'AccessDeniedException' }), { invalid: false });
    },
  };
  Object.assign(tables, guarded);
  const rig = new Rig({ clock, tables, handlers: [work.handle(() => undefined)], version: '7' });
  const { journal, missing } = watchPermissions(rig.journal, clock);
  Object.assign(rig.deps, { journal, missingPermission: missing });
  const findings = async () => permissionsCheck.run({ admin: createAdminOver(rig.deps) } as unknown as Patient);
  return { rig, findings, grant: () => void (granted = true) };
}

it('nightcrew doctor names the permission that a role lacks, and no more once it is granted', async () => {
  const { rig, findings, grant } = withoutHistory();
  await rig.client.enqueue(work, {});
  expect(await findings()).toEqual([]);
  await rig.drain();
  await rig.clock.advance(6 * MINUTE);
  await rig.drain();
  await rig.sweep();
  await rig.fire();
  const found = await findings();
  expect(found.map(({ subject }) => subject).toSorted()).toEqual(['acquirer/0', 'sweeper', 'worker default']);
  expect(found).toContainEqual({
    check: 'permission',
    subject: 'worker default',
    status: 'failed',
    says: expect.stringContaining(`its role lacks ${LACKS}, as of `) as string,
    fix: expect.stringContaining('permissions boundary') as string,
  });
  grant();
  await rig.clock.advance(11 * MINUTE);
  await rig.drain();
  await rig.clock.advance(MINUTE);
  await rig.sweep();
  await rig.fire();
  await rig.client.enqueue(work, {});
  await rig.drain();
  expect(await findings()).toEqual([]);
});

it('what a function found missing is written with its report, and what a worker of an earlier version did not write is no finding', async () => {
  const { rig } = withoutHistory();
  const view = { worker: 'default', kind: 'lambda', version: '1', types: [], off: [], firstSeen: new Date(0), lastSeen: new Date(0) };
  const beat = { who: 'sweeper', at: new Date(0), late: false, report: {} };
  const admin = {
    workers: async () =>
      Promise.resolve([
        { ...view, fresh: true },
        { ...view, fresh: false, missingPermission: LACKS },
      ]),
    heartbeats: async () => Promise.resolve([beat, { ...beat, late: true, report: { missingPermission: LACKS } }]),
  };
  expect(await permissionsCheck.run({ admin } as unknown as Patient)).toEqual([]);
  await rig.client.enqueue(work, {});
  await rig.drain();
  await rig.sweep();
  expect(await rig.rows('control')).toContainEqual(expect.objectContaining({ sk: 'sweeper', missingPermission: LACKS }));
});
