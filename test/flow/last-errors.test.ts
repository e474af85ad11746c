import { expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { defineJob, snooze } from '../../shared/index.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const HOUR = 3_600_000;
const work = defineJob('work', { payload: anyPayload, retry: 'R4/PT1H' });
const soon = defineJob('soon', { payload: anyPayload, retry: 'R7/PT1M' });

function stage() {
  const seen: (readonly string[] | undefined)[] = [];
  const note = (errors: readonly { readonly text: string }[] | undefined) => seen.push(errors?.map(({ text }) => text));
  const rig = new Rig({
    handlers: [
      work.handle(({ job }) => {
        note(job.lastErrors);
        if (job.attempt === 2) return snooze('PT1M');
        throw new TypeError(`no ${job.attempt}`);
      }),
      soon.handle(({ job, payload }) => {
        note(job.lastErrors);
        if (job.attempt > Number(payload['fails'])) return;
        throw new RangeError(`no\n${job.attempt}`);
      }),
    ],
  });
  return { rig, seen, admin: createAdminOver(rig.deps) };
}

it('a job that never fails has no list of errors, in its row or anywhere else', async () => {
  const { rig, seen, admin } = stage();
  const { id } = await rig.client.enqueue(soon, { fails: 0 });
  expect((await rig.rows('jobs'))[0]).not.toHaveProperty('lastErrors');
  await rig.drain();
  expect(seen).toEqual([undefined]);
  expect(await admin.find(id)).not.toHaveProperty('lastErrors');
});

it('a job that is retried soon shows its last five errors to its handler and to operators, and none when it has completed', async () => {
  const { rig, seen, admin } = stage();
  const { id } = await rig.client.enqueue(soon, { fails: 6 });
  for (let attempt = 1; attempt <= 6; attempt++) {
    await rig.drain();
    await rig.clock.advance(60_000);
  }
  const [row] = await rig.rows('jobs');
  expect(String(row?.['lastErrors']).split('\n')).toHaveLength(5);
  const found = await admin.find(id);
  expect(found?.lastErrors?.map(({ attempt, text }) => `${attempt} ${text}`)).toEqual([
    '6 RangeError: no 6',
    '5 RangeError: no 5',
    '4 RangeError: no 4',
    '3 RangeError: no 3',
    '2 RangeError: no 2',
  ]);
  expect(found?.lastErrors?.[0]?.at).toEqual(found?.error?.at);
  expect((await admin.list({ type: 'soon' })).jobs[0]).not.toHaveProperty('lastErrors');
  await rig.drain();
  expect(seen.at(-1)).toHaveLength(5);
  expect(seen[1]).toEqual(['RangeError: no 1']);
  expect((await rig.rows('history'))[0]).not.toHaveProperty('lastErrors');
});

it('a job that waits for its retry, is snoozed, dies and is redriven keeps them', async () => {
  const { rig, seen, admin } = stage();
  const { id } = await rig.client.enqueue(work, {});
  for (let hour = 0; hour < 6; hour++) {
    await rig.fire();
    await rig.drain();
    await rig.clock.advance(HOUR);
  }
  const dead = await admin.find(id);
  expect(dead).toMatchObject({ state: 'dead', error: { message: 'no 5' } });
  expect(dead?.lastErrors?.map(({ attempt, text }) => [attempt, text])).toEqual([
    [5, 'TypeError: no 5'],
    [4, 'TypeError: no 4'],
    [3, 'TypeError: no 3'],
    [1, 'TypeError: no 1'],
  ]);
  await admin.redrive(id);
  await rig.drain();
  expect(seen.at(-1)).toHaveLength(4);
  expect((await admin.find(id))?.lastErrors).toHaveLength(5);
});

it('a job that an earlier release left with an error has that one, and keeps it when it fails again', async () => {
  const { rig, admin } = stage();
  const { id } = await rig.client.enqueue(soon, { fails: 2 });
  await rig.drain();
  await rig.tables.write({ op: 'update', table: 'jobs', key: { id }, set: {}, remove: ['lastErrors'] });
  expect((await admin.find(id))?.lastErrors).toMatchObject([{ text: 'RangeError: no 1' }]);
  await rig.clock.advance(60_000);
  await rig.drain();
  expect((await admin.find(id))?.lastErrors?.map(({ attempt, text }) => [attempt, text])).toEqual([
    [2, 'RangeError: no 2'],
    [undefined, 'RangeError: no 1'],
  ]);
});

it('a job that an operator buries has the burial as its last error, and those before it', async () => {
  const { rig, admin } = stage();
  const { id } = await rig.client.enqueue(soon, { fails: 2 });
  await rig.drain();
  await admin.bury(id, { reason: 'the bank is closed' });
  expect((await admin.find(id))?.lastErrors?.map(({ attempt, text }) => [attempt, text])).toEqual([
    [undefined, 'BuriedByOperator: the bank is closed'],
    [1, 'RangeError: no 1'],
  ]);
});
