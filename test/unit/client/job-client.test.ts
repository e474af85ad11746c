import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../../shared/job/errors.ts';
import { iso } from '../../../shared/job/instant.ts';
import { defineJob } from '../../../shared/job/job-type.ts';
import { idKey } from '../../../shared/store/rows.ts';
import { faultyRig } from '../../support/faulty-rig.ts';
import { aimAt } from '../../support/faulty-tables.ts';
import { anyPayload, Rig } from '../../support/rig.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const work = defineJob('work', { payload: anyPayload });

describe('an own id', () => {
  it.each([0, 2 * HOUR])('goes with the due time that it was made for, also when that has come by (%i ms later)', async (later) => {
    const rig = new Rig();
    const runAt = rig.clock.now() + HOUR;
    const id = rig.client.newId({ runAt });
    await rig.clock.advance(later);
    expect(await rig.client.enqueue(work, {}, { id, runAt })).toEqual({ id, duplicate: false });
  });
});

describe('a job', () => {
  it('that waited while others were checked belongs to its queue for its whole time from when it is written', async () => {
    const rig = new Rig();
    const validate = async (value: unknown) => (await rig.clock.advance(5 * MINUTE), { value: value as Record<string, unknown> });
    const slow = defineJob('slow', { payload: { '~standard': { version: 1, vendor: 'test', validate } } });
    await rig.client.enqueueMany(slow, [{}, {}]);
    const { firstRedispatchAfterMs } = rig.deployment.settings;
    const lockExpiresAt = iso(rig.clock.now() + firstRedispatchAfterMs);
    expect(await rig.rows('jobs')).toMatchObject([{ lockExpiresAt }, { lockExpiresAt }]);
  });

  it('whose payload cannot be read is shown with its text', async () => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(work, {});
    await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(id), set: { payload: '{' } });
    expect((await rig.client.get(id))?.payload).toBe('{');
  });
});

describe('the journal is written out', () => {
  const calls: readonly [string, (rig: Rig) => Promise<unknown>][] = [
    ['an enqueue', async ({ client }) => client.enqueue(work, {})],
    ['a bulk enqueue', async ({ client }) => client.enqueueMany(work, [{}])],
    ['a dispatch of what was prepared', async ({ client }) => client.prepare(work, {}).dispatch()],
    ['a cancel', async ({ client }) => client.cancel(client.newId())],
    ['a reschedule', async ({ client }) => client.reschedule(client.newId(), { delay: HOUR })],
    ['an end of a batch', async ({ client }) => client.sealBatch((await client.createBatch()).id)],
    ['a cancel of a batch', async ({ client }) => client.cancelBatch((await client.createBatch()).id)],
  ];
  it.each(calls)('after %s', async (_name, call) => {
    const rig = new Rig();
    let flushed = 0;
    rig.journal.flush = () => void flushed++;
    await call(rig);
    expect(flushed).toBe(1);
  });
});

it('a whole batch that cannot be sealed is named, so that it can be sealed later', async () => {
  const rig = faultyRig();
  rig.faults.next(aimAt('update', 'control'), 'unavailable');
  const error = await rig.client.enqueueBatch(work, [], { id: 'mine' }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StoreUnavailableError);
  expect((error as Error).message).toContain('seal of batch mine');
});
