import { describe, expect, it } from 'vitest';
import { gatherFacts } from '../../../operate/explain/gather-facts.ts';
import { iso } from '../../../shared/job/instant.ts';
import { limitPartition, listingKey } from '../../../shared/store/parked-rows.ts';
import { createAdminOver } from '../../../operate/admin.ts';
import { other, work } from '../../support/dead-letters.ts';
import { Rig } from '../../support/rig.ts';
import { sampleJob } from '../job/sample-job.ts';

describe('what is read of a parked job', () => {
  it.each([
    ['of its listing', [{ ...listingKey('h'), limit: 'listed', n: 3 }], 'listed'],
    ['of a slot, where the listing is gone', [{ pk: limitPartition('h'), sk: 'slot', limit: 'named' }], 'named'],
    ['none but its hash, where both are', [], 'h'],
  ])('is since when it waits, and the name of its limit: that %s', async (_what, rows, name) => {
    const rig = new Rig();
    await rig.tables.putAll('control', rows);
    const parkedAt = rig.clock.now() - 5_000;
    const job = sampleJob();
    const key = { shard: limitPartition('h'), due: `${iso(parkedAt)}#${job.id}` };
    const { limit } = await gatherFacts(rig.deps, { state: 'parked', table: 'timers', key, job });
    expect(limit).toMatchObject({ name, parkedAt, before: 0, exact: true });
  });
});

describe('a job in its queue', () => {
  it('is explained also where its queue does not answer', async () => {
    const rig = new Rig({ handlers: [work.handle(() => {}), other.handle(() => {})] });
    const { id } = await rig.client.enqueue(work, {});
    const visible = async (): Promise<number> => {
      throw new Error('access denied');
    };
    const explained = await createAdminOver({ ...rig.deps, backlog: { visible } }).explain(id);
    expect(explained).toMatchObject({ state: 'ready' });
    expect(explained?.facts).not.toHaveProperty('backlog');
  });
});
