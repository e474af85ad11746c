import { beforeAll, describe, expect, it } from 'vitest';
import type { JobPage, ListOptions } from '../../operate/index.ts';
import { errorGroupKey } from '../../shared/features/error-groups/store/error-group-rows.ts';
import { brokenStage, type DeadLetterStage, other, work } from '../support/dead-letters.ts';

let stage: DeadLetterStage;
/** In the order in which they died. */
const died: string[] = [];

beforeAll(async () => {
  stage = brokenStage();
  died.push(...(await dieInTurn(stage, 20)));
});

async function dieInTurn({ rig }: DeadLetterStage, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const { id } = await rig.client.enqueue(n % 3 === 0 ? other : work, {});
    await rig.drain();
    ids.push(id);
    await rig.clock.advance(1_000);
  }
  return ids;
}

async function pages(options: ListOptions): Promise<readonly JobPage[]> {
  const all: JobPage[] = [];
  for (let after: string | undefined; ;) {
    const page = await stage.admin.list({ ...options, ...(after === undefined ? {} : { after }) });
    all.push(page);
    after = page.next;
    if (after === undefined) return all;
  }
}

const idsOf = (all: readonly JobPage[]): readonly string[] => all.flatMap(({ jobs }) => jobs.map(({ id }) => id));

describe('a list of all dead letters', () => {
  it.each([3, 7, 100])('is newest first over every type, each once, in pages of %d', async (limit) => {
    const all = await pages({ state: 'dead', limit });
    expect(idsOf(all)).toEqual(died.toReversed());
    expect(all[0]).toMatchObject({ order: 'newest-first', servedBy: expect.stringContaining('index byType of DeadLetters') as string });
  });

  it('stays newest first where other fields filter it', async () => {
    const half = died[10] ?? '';
    const from = (await stage.admin.find(half))?.failedAt ?? new Date(0);
    expect(idsOf(await pages({ state: 'dead', from, limit: 4 }))).toEqual(died.slice(10).toReversed());
  });

  it('continues behind its last page after all dead letters of the type that ended it have left', async () => {
    const own = brokenStage();
    const ids = await dieInTurn(own, 7);
    const first = await own.admin.list({ state: 'dead', limit: 1 });
    expect(first.jobs[0]).toMatchObject({ id: ids[6], type: 'other' });
    await own.admin.bulk({ verb: 'delete' }, { type: 'other' });
    const rest = await own.admin.list({ state: 'dead', ...(first.next === undefined ? {} : { after: first.next }) });
    expect(idsOf([rest])).toEqual([ids[5], ids[4], ids[2], ids[1]]);
  });

  it('leaves none out whose error group was never written: it comes behind the others', async () => {
    const { rig, admin } = stage;
    for (const { fingerprint } of (await admin.errorGroups({ type: 'other' })).groups)
      await rig.tables.write({ op: 'delete', table: 'control', key: errorGroupKey(fingerprint) });
    const all = await pages({ state: 'dead', limit: 5 });
    expect(idsOf(all).toSorted()).toEqual(died.toSorted());
    expect(idsOf(all).slice(0, 13)).toEqual(died.filter((_id, n) => n % 3 !== 0).toReversed());
  });
});
