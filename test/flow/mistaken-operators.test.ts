import { expect, it } from 'vitest';
import { type Admin, createAdminOver } from '../../operate/admin.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { defineSchedule } from '../../shared/features/schedules/model/definition.ts';
import { work } from '../support/dead-letters.ts';
import { Rig } from '../support/rig.ts';

const wrong = (value: unknown): never => value as never;
const daily = defineSchedule('daily', { job: work, payload: {}, cron: '@daily' });
const ofWork = { type: 'work' };

it.each<[string, (admin: Admin, id: string) => Promise<unknown>, RegExp]>([
  ['audit', (admin) => admin.audit(wrong({ dya: '2026-01-01' })), /^options: "dya"/],
  ['switchDeployment', (admin) => admin.switchDeployment('activate', wrong({ raeson: 'r' })), /^options: "raeson"/],
  ['blockedGroups', (admin) => admin.blockedGroups(wrong({ maxReads: 1 })), /^options: "maxReads"/],
  ['bulks', (admin) => admin.bulks(wrong({ limits: 1 })), /^options: "limits"/],
  ['a dry run that is a text', (admin) => admin.bulk({ verb: 'cancel' }, ofWork, wrong({ dryRun: 'no' })), /^dryRun: /],
  ['a redrive with no tries', (admin) => admin.bulk({ verb: 'redrive', retries: 0 }, ofWork), /^retries: /],
  ['resumeBulk', (admin) => admin.resumeBulk('x', wrong({ rate: 1 })), /^options: "rate"/],
  ['resumeBulk with a text to call', (admin) => admin.resumeBulk('x', wrong({ onProgress: 'often' })), /^onProgress: /],
  ['cancelWhere', (admin) => admin.cancelWhere(ofWork, wrong({ dryrun: true })), /^options: "dryrun"/],
  ['setPriority', (admin, id) => admin.setPriority(id, 1, wrong({ raeson: 'r' })), /^options: "raeson"/],
  ['delete', (admin, id) => admin.delete(id, wrong({ raeson: 'r' })), /^options: "raeson"/],
  ['bury', (admin, id) => admin.bury(id, wrong({ reason: 'r', raeson: 'r' })), /^options: "raeson"/],
  ['setLimit', (admin) => admin.setLimit('some', 1, wrong({ raeson: 'r' })), /^options: "raeson"/],
  ['clearLimit', (admin) => admin.clearLimit('some', wrong({ raeson: 'r' })), /^options: "raeson"/],
  ['setRetention', (admin) => admin.setRetention('all', 30, wrong({ raeson: 'r' })), /^options: "raeson"/],
  ['previewRetention', (admin) => admin.previewRetention('all', 30, wrong({ maxReads: 1 })), /^options: "maxReads"/],
  ['editPayload', (admin, id) => admin.editPayload(id, {}, wrong({ rev: '1' })), /^rev: /],
  ['editPayload of what is no id', (admin) => admin.editPayload(wrong({}), {}), /^id: /],
  ['setRetriesMany of none, with no tries', (admin) => admin.setRetriesMany([], 0), /^retries: /],
  ['redrive', (admin, id) => admin.redrive(id, wrong({ retires: 1 })), /^options: "retires"/],
  ['redrive by nobody', (admin, id) => admin.redrive(id, { actor: wrong(7) }), /^actor: /],
  ['redrive without a why', (admin, id) => admin.redrive(id, { reason: wrong(7) }), /^reason: /],
  ['redriveMany of what are no ids', (admin, id) => admin.redriveMany([id, 'x']), /^ids\[1\]: /],
  ['setDueDate', (admin, id) => admin.setDueDate(id, wrong({ delay: 'PT1M', reason: 'r' })), /^when: "reason"/],
  ['overridePriority', (admin) => admin.overridePriority(ofWork, 1, wrong({ cascades: true })), /^options: "cascades"/],
  ['clearPriority', (admin) => admin.clearPriority(ofWork, wrong({ cascade: true })), /^options: "cascade"/],
  ['suspend', (admin) => admin.suspend(ofWork, wrong({ reason: 'r', untill: 1 })), /^options: "untill"/],
  ['suspend on no worker', (admin) => admin.suspend({ type: 'work', worker: 'gpu' }, { reason: 'r' }), /^scope.worker: /],
  ['resume', (admin) => admin.resume(ofWork, wrong({ rate: 1 })), /^options: "rate"/],
  ['schedules.list', (admin) => admin.schedules.list(wrong({ limits: 1 })), /^page: "limits"/],
  ['schedules.put', (admin) => admin.schedules.put(wrong({ nmae: 'a' })), /nmae/],
  ['schedules.put on no worker', (admin) => admin.schedules.put({ ...daily, worker: 'gpu' }), /^worker: "gpu"/],
  ['schedules.put with a stray option', (admin) => admin.schedules.put(daily, wrong({ raeson: 'r' })), /^options: "raeson"/],
  ['schedules.pause', (admin) => admin.schedules.pause('a', wrong({ why: 'r' })), /^options: "why"/],
  ['schedules.pause without options', (admin) => admin.schedules.pause('a', wrong(null)), /^options: null/],
  ['schedules.delete', (admin) => admin.schedules.delete('a', wrong({ raeson: 'r' })), /^options: "raeson"/],
  ['schedules.resume', (admin) => admin.schedules.resume('a', wrong({ raeson: 'r' })), /^options: "raeson"/],
  ['schedules.runNow by an actor that is no text', (admin) => admin.schedules.runNow('a', { actor: wrong(7) }), /^actor: /],
  ['sealBatch for a reason that is no text', (admin) => admin.sealBatch('a', { reason: wrong(7) }), /^reason: /],
  ['schedules.backfill', (admin) => admin.schedules.backfill('a', wrong({ form: 0 })), /^options: "form"/],
  ['schedules.backfill without options', (admin) => admin.schedules.backfill('a', wrong(undefined)), /^options: undefined/],
  ['schedules.preview', (admin) => admin.schedules.preview('a', wrong({ counts: 1 })), /^options: "counts"/],
  ['errorGroups', (admin) => admin.errorGroups(wrong({ types: 'work' })), /^options: "types"/],
  ['attempts', (admin) => admin.attempts(wrong({ outcomes: 'retried' })), /^options: "outcomes"/],
  ['statistics', (admin) => admin.statistics(wrong({ workers: 'a' })), /^options: "workers"/],
  ['statisticsBy', (admin) => admin.statisticsBy('worker' as never), /^kind: "worker"/],
  ['limits', (admin) => admin.limits(wrong({ limit: 1 })), /^options: "limit"/],
])('a mistake of an operator is refused before anything is done: %s', async (_what, call, message) => {
  const rig = new Rig();
  const { id } = await rig.client.enqueue(work, {}, { delay: 'P1D' });
  const [row] = await rig.rows('timers');
  const admin = createAdminOver({ ...rig.deps, jobTypes: new Map([[work.name, work]]) });
  const error = await call(admin, id).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InvalidInputError);
  expect((error as Error).message).toMatch(message);
  expect(await rig.rows('timers')).toEqual([row]);
  expect(await admin.audit()).toEqual([]);
});
