import { expect, it } from 'vitest';
import { type Admin, createAdminOver } from '../../shared/admin/admin.ts';
import { InvalidInputError } from '../../shared/core/errors.ts';
import { work } from '../support/dead-letters.ts';
import { Rig } from '../support/rig.ts';

const wrong = (value: unknown): never => value as never;
const ofWork = { type: 'work' };

it.each<[string, (admin: Admin, id: string) => Promise<unknown>, RegExp]>([
  ['audit', (admin) => admin.audit(wrong({ dya: '2026-01-01' })), /^options: "dya"/],
  ['auditActivation', (admin) => admin.auditActivation('activate', wrong({ raeson: 'r' })), /^options: "raeson"/],
  ['blockedGroups', (admin) => admin.blockedGroups(wrong({ maxReads: 1 })), /^options: "maxReads"/],
  ['bulks', (admin) => admin.bulks(wrong({ limits: 1 })), /^options: "limits"/],
  ['a dry run that is a text', (admin) => admin.bulk({ verb: 'cancel' }, ofWork, wrong({ dryRun: 'no' })), /^dryRun: /],
  ['a redrive with no tries', (admin) => admin.bulk({ verb: 'redrive', retries: 0 }, ofWork), /^retries: /],
  ['resumeBulk', (admin) => admin.resumeBulk('x', wrong({ rate: 1 })), /^options: "rate"/],
  ['resumeBulk with a text to call', (admin) => admin.resumeBulk('x', wrong({ onProgress: 'often' })), /^onProgress: /],
  ['cancelWhere', (admin) => admin.cancelWhere(ofWork, wrong({ dryrun: true })), /^options: "dryrun"/],
  ['setPriority', (admin, id) => admin.setPriority(id, 1, wrong({ raeson: 'r' })), /^options: "raeson"/],
  ['delete', (admin, id) => admin.delete(id, wrong({ raeson: 'r' })), /^options: "raeson"/],
  ['editPayload', (admin, id) => admin.editPayload(id, {}, wrong({ rev: '1' })), /^rev: /],
  ['editPayload of what is no id', (admin) => admin.editPayload(wrong({}), {}), /^id: /],
  ['setRetriesMany of none, with no tries', (admin) => admin.setRetriesMany([], 0), /^retries: /],
])('a mistake of an operator is refused before anything is done: %s', async (_what, call, message) => {
  const rig = new Rig();
  const { id } = await rig.client.enqueue(work, {}, { delay: 'P1D' });
  const [row] = await rig.rows('timers');
  const admin = createAdminOver({ ...rig.parts, jobTypes: new Map([[work.name, work]]) });
  const error = await call(admin, id).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InvalidInputError);
  expect((error as Error).message).toMatch(message);
  expect(await rig.rows('timers')).toEqual([row]);
  expect(await admin.audit()).toEqual([]);
});
