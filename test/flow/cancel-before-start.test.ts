import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../shared/job/errors.ts';
import { createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { defineSchedule } from '../../shared/features/schedules/model/definition.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import type { QueueRef } from '../../shared/ports/hints.ts';
import type { SingleWrite, Tables, Write } from '../../shared/ports/tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { rigTables } from '../support/rig-tables.ts';

const STANDARD: QueueRef = { worker: 'default', lane: 'default', kind: 'standard' };
const grouped = defineJob('grouped', { payload: anyPayload, group: 'g' });
const keyed = defineJob('keyed', { payload: anyPayload });

/** A rig in which a cancel is asked for just before the executor's write that sends the job back to its queue, or skips it. */
async function cancelledAfterItsClaim(make: (rig: Rig) => Promise<string>): Promise<{ rig: Rig; ran: () => number; id: string }> {
  const clock = new SettableClock();
  const tables = rigTables(clock);
  let ran = 0;
  let id = '';
  const cancel = async (): Promise<void> => {
    const wanted = id;
    id = '';
    if (wanted !== '') expect(await rig.client.cancel(wanted, { reason: 'not wanted' })).toBe('cancel-requested');
  };
  const { write, transact } = { write: tables.write.bind(tables), transact: tables.transact.bind(tables) };
  const asksFirst: Pick<Tables, 'write' | 'transact'> = {
    write: async (one, ...rest) => (returns(one) && (await cancel()), write(one, ...rest)),
    transact: async (writes, ...rest) => (writes.some(removes) && (await cancel()), transact(writes, ...rest)),
  };
  Object.assign(tables, asksFirst);
  const handlers = [grouped, keyed].map((type) => type.handle(() => void ran++));
  const rig = new Rig({ clock, tables, handlers });
  const made = await make(rig);
  id = made;
  return { rig, ran: () => ran, id: made };
}

function returns(write: SingleWrite): boolean {
  return write.op === 'update' && write.table === 'jobs' && String(write.set['lockOwner']).startsWith('queue/');
}

const removes = ({ op, table }: Write): boolean => op === 'delete' && table === 'jobs';

describe('a job that is cancelled between its claim and its start', () => {
  it('ends at once where its message did not name its group', async () => {
    const { rig, ran, id } = await cancelledAfterItsClaim(async ({ client }) => (await client.enqueue(grouped, {})).id);
    rig.hints.inject(STANDARD, JSON.stringify({ v: 1, id, n: 1 }));
    await rig.execute(rig.hints.receive(STANDARD, 1));
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', outcome: 'cancelled', cancelReason: 'not wanted' });
    expect(ran()).toBe(0);
  });

  it('ends at once where the store failed before it could start, and frees its key', async () => {
    const { rig, ran, id } = await cancelledAfterItsClaim(async ({ client }) => (await client.enqueue(keyed, {}, { key: 'k' })).id);
    const rules = { ...rig.deps.rules, current: () => Promise.reject(new StoreUnavailableError('rules', new Error('no answer'))) };
    await rig.execute(rig.hints.receive(STANDARD, 1), { ...rig.deps, rules });
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', outcome: 'cancelled', cancelReason: 'not wanted' });
    expect((await rig.client.enqueue(keyed, {}, { key: 'k' })).duplicate).toBe(false);
    expect(ran()).toBe(0);
  });

  it('ends as cancelled where its schedule was deleted and it would have been skipped', async () => {
    const { rig, ran, id } = await cancelledAfterItsClaim(async (one) => {
      const { schedules } = createAdminOver(one.deps);
      const { next } = await schedules.put(defineSchedule('hourly', { job: keyed, payload: {}, every: 'PT1H' }));
      await one.clock.advance(3_600_000);
      await one.fire();
      await schedules.delete('hourly');
      return next?.id ?? '';
    });
    await rig.drain();
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', outcome: 'cancelled', cancelReason: 'not wanted' });
    expect(ran()).toBe(0);
  });
});
