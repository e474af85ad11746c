import { describe, expect, it } from 'vitest';
import { type Pass, readCursor, writeCursor } from '../../../functions/sweeper/sweep-cursor.ts';
import { sweepCursorKey } from '../../../shared/store/control-rows.ts';
import { Rig } from '../../support/rig.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
const PASS: Pass = {
  jobs: 3,
  overdue: 2,
  oldestWaitMs: 1,
  at: NOON + 1,
  waiting: { from: NOON, unseen: 4, queues: new Map([['default/default/standard', [0, 2]]]) },
};

const TYPES = new Map(Object.entries({ 'mail.send': 0, work: 7 }));

describe('where a segment continues', () => {
  it('is read as it was written, with the pass so far and the last one', async () => {
    const { deps } = new Rig();
    const { waiting = { from: NOON, unseen: 0, queues: new Map() } } = PASS;
    const withTypes = { ...PASS, waiting: { ...waiting, types: TYPES } };
    for (const cursor of [
      { start: { id: 'a' }, under: PASS, last: { ...PASS, jobs: 9 } },
      { start: undefined, under: undefined, last: PASS },
      { start: { id: 'a' }, under: withTypes, last: withTypes },
      { start: { id: 'a' }, under: PASS, last: undefined },
    ]) {
      await writeCursor(deps, 1, cursor);
      expect(await readCursor(deps, 1)).toEqual(cursor);
      expect(await readCursor(deps, 0)).toEqual({ start: undefined, under: undefined, last: undefined });
    }
  });

  it.each([
    ['of an older release', { lastFrom: undefined }],
    ['with an unreadable time', { lastFrom: 'noon' }],
    ['with an unreadable count', { lastUnseen: 'many' }],
    ['without queues', { lastQueues: 7 }],
    ['with queues that are no JSON', { lastQueues: '{' }],
    ['with queues that are no list', { lastQueues: '{}' }],
    ['with queues that are no pairs', { lastQueues: '[[]]' }],
    ['with a nameless queue', { lastQueues: '[[1,[1]]]' }],
    ['with a queue without counts', { lastQueues: '[["a",1]]' }],
    ['with a count that is none', { lastQueues: '[["a",["1"]]]' }],
  ])('has the totals of a row %s, and no ages of its jobs', async (_what, set) => {
    const { deps, tables } = new Rig();
    const segments = deps.deployment.settings.sweepSegments;
    await writeCursor(deps, 0, { start: undefined, under: undefined, last: PASS });
    const row = (await tables.get('control', sweepCursorKey(0, segments))) ?? {};
    const changed = Object.fromEntries(Object.entries({ ...row, ...set }).filter(([, value]) => value !== undefined)) as typeof row;
    await tables.write({ op: 'put', table: 'control', row: changed });
    const { waiting: _, ...totals } = PASS;
    expect((await readCursor(deps, 0)).last).toEqual(totals);
  });

  it.each(['{', '{}', '[[]]', '[[1,1]]', '[["a","1"]]', 7])('has no counts of types where the row has %s', async (lastTypes) => {
    const { deps, tables } = new Rig();
    await writeCursor(deps, 0, { start: undefined, under: undefined, last: PASS });
    const key = sweepCursorKey(0, deps.deployment.settings.sweepSegments);
    await tables.write({ op: 'update', table: 'control', key, set: { lastTypes } });
    expect((await readCursor(deps, 0)).last).toEqual(PASS);
  });
});
