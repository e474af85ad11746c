import { describe, expect, it } from 'vitest';
import { type Admin, createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import type { TableName, Write } from '../../shared/ports/tables.ts';
import { locate } from '../../shared/store/locate.ts';
import { park } from '../../shared/store/park.ts';
import { type FaultyRig, faultyRig, take } from '../support/faulty-rig.ts';
import { anyPayload } from '../support/rig.ts';

const MINUTE = 60_000;
const work = defineJob('work', { payload: anyPayload, retry: 'never' });
const unknown = defineJob('unknown', { payload: anyPayload });
const EDITED = '{"edited":true}';
const LIES_IN: readonly TableName[] = ['jobs', 'timers', 'suspended', 'deadLetters'];

/** A job in each state in which somebody may change it, a little later. */
const STATES = {
  ready: async (rig: FaultyRig) => (await rig.client.enqueue(work, {})).id,
  waiting: async (rig: FaultyRig) => (await rig.client.enqueue(work, {}, { delay: 'PT20M' })).id,
  parked: async (rig: FaultyRig) => {
    const { id } = await rig.client.enqueue(work, {});
    await park(rig.tables, await take(rig, id), { limit: { hash: 'h', name: 'l', n: 1 }, now: rig.clock.now() });
    return id;
  },
  suspended: async (rig: FaultyRig) => {
    const { id } = await rig.client.enqueue(unknown, {});
    await rig.drain();
    return id;
  },
  dead: async (rig: FaultyRig) => {
    const { id } = await rig.client.enqueue(work, {});
    await rig.drain();
    return id;
  },
} as const;

/** What moves or rewrites it, and the states that it acts on. */
const VERBS: readonly (readonly [
  string,
  readonly (keyof typeof STATES)[],
  (rig: FaultyRig, admin: Admin, id: string) => Promise<unknown>,
])[] = [
  ['runs it now', ['ready', 'waiting', 'suspended'], (_, admin, id) => admin.runNow(id)],
  ['stops it', ['ready', 'waiting', 'suspended'], (_, admin, id) => admin.breakpoint(id, { reason: 'r' })],
  ['resumes it', ['suspended'], (_, admin, id) => admin.resumeJob(id)],
  ['sets its priority', ['ready', 'waiting', 'suspended', 'parked'], (_, admin, id) => admin.setPriority(id, 4)],
  ['makes it due soon', ['ready', 'waiting', 'parked'], (_, admin, id) => admin.setDueDate(id, { delay: 'PT1M' })],
  ['makes it due later', ['ready', 'waiting', 'parked'], (_, admin, id) => admin.setDueDate(id, { delay: 'PT5H' })],
  ['redrives it', ['dead'], (_, admin, id) => admin.redrive(id)],
  ['fires it', ['waiting'], async (rig) => rig.fire()],
  ['finds room for it', ['parked'], async (rig) => rig.fire()],
  ['tries it again', ['suspended'], async (rig) => rig.sweep()],
];

const CASES = VERBS.flatMap(([verb, states, act]) => states.map((state) => ({ verb, state, act })));

/** Whether a request is about to move or rewrite a job. */
const movesJob = (writes: readonly Write[]): boolean =>
  writes.some((write) => LIES_IN.includes(write.table) && (write.op === 'put' || write.op === 'delete'));

describe('an edit just before the write of another actor that', () => {
  it.each(CASES)('$verb ($state) is not lost', async ({ state, act }) => {
    const rig = faultyRig({
      handlers: [
        work.handle(() => {
          throw new Error('no');
        }),
      ],
    });
    const id = await STATES[state](rig);
    await rig.clock.advance(state === 'waiting' ? 15 * MINUTE : 2 * MINUTE);
    const found = await locate(rig.tables, id);
    expect(found?.state).toBe(state);
    const place = { table: found?.table ?? 'jobs', key: found?.key ?? {} };
    rig.faults.before(movesJob, async () => {
      await rig.tables.write({ op: 'update', ...place, set: { payload: EDITED }, add: { rev: 1 } });
    });
    await act(rig, createAdminOver(rig.deps), id);
    expect(rig.faults.pending()).toBe(0);
    const rows = (await Promise.all(LIES_IN.map((table) => rig.rows(table)))).flat();
    expect(rows.map(({ payload }) => payload)).toEqual([EDITED]);
  });
});
