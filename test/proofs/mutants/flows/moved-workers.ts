import { createAdminOver } from '../../../../operate/admin.ts';
import { SettableClock } from '../../../../shared/adapters/memory/settable-clock.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { rigTables } from '../../../support/rig-tables.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';
import type { Break } from './break.ts';

const work = defineJob('work', { payload: anyPayload });
const HERE = { lanes: { default: 'queue/here' } };
const THERE = { lanes: { default: 'queue/there' } };

/** A job is moved to another worker, and its old message arrives at the first, which has a handler too. */
export async function movedAway(): Promise<readonly Break[]> {
  let runs = 0;
  const rig = new Rig({ workers: { default: HERE, there: THERE }, handlers: [work.handle(() => void runs++)] });
  const { id } = await rig.client.enqueue(work, {});
  await createAdminOver(rig.deps).move(id, { worker: 'there' });
  await rig.execute(rig.hints.receive({ worker: 'default', lane: 'default', kind: 'standard' }, 10));
  const early = runs === 0 ? [] : [{ rule: 'right-lane', what: `${id} ran on the worker that it had left` }];
  await rig.drain();
  return runs === 1 ? early : [...early, { rule: 'runs-once-at-a-time', what: `${id} ran ${runs} times` }];
}

/** A worker is renamed: its queues are gone with their messages, and other queues have its new name. */
export async function renamedWorker(): Promise<readonly Break[]> {
  let runs = 0;
  const clock = new SettableClock();
  const shared = { clock, tables: rigTables(clock), handlers: [work.handle(() => void runs++)] };
  const before = new Rig({ ...shared, workers: { default: HERE } });
  const { id } = await before.client.enqueue(work, {});
  const after = new Rig({ ...shared, workers: { there: { ...THERE, formerly: ['default'] } } });
  for (let minute = 0; minute < 30; minute++) {
    await clock.advance(60_000);
    await after.sweep();
    await after.drain();
  }
  return runs === 1 ? [] : [{ rule: 'nothing-left', what: `${id} of the renamed worker ran ${runs} times` }];
}
