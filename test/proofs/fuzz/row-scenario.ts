import { makeJobId, shardOf } from '../../../shared/job/job-id.ts';
import { defineJob } from '../../../shared/job/job-type.ts';
import type { Job, SuspendedJob } from '../../../shared/job/job.ts';
import { seededEntropy } from '../../../shared/adapters/memory/seeded-entropy.ts';
import { heldCauseKey } from '../../../shared/store/control-rows.ts';
import { suspendedRow, timerRow } from '../../../shared/store/rows.ts';
import { iso } from '../../../shared/job/instant.ts';
import { anyPayload, Rig } from '../../support/rig.ts';

/** When the scenario begins. */
export const START = Date.UTC(2026, 0, 1);
/** When its timers are due. */
export const TIMERS_DUE = START + 30 * 60_000;
export const CAUSE = 'no-handler#work';
const MINUTE = 60_000;
const ROUNDS = 10;

/** The type of all good jobs. */
export const work = defineJob('work', { payload: anyPayload });

/** Ids of one shard, due at `dueAt`: neighbours of the damaged row in any table. */
export function neighbourIds(count: number, dueAt: number): readonly string[] {
  const ids: string[] = [];
  for (let seed = 1; ids.length < count; seed++) {
    const id = makeJobId(dueAt, seededEntropy(seed).bytes(10));
    if (shardOf(id) === '00') ids.push(id);
  }
  return ids;
}

/** A good job of type `work`. */
export function goodJob(id: string, dueAt: number): Job {
  const counters = { starts: 0, failures: 0, crashes: 0, snoozes: 0, dispatches: 1, chainDepth: 0 };
  const place = { type: 'work', payload: '{}', kind: 'async' as const, worker: 'default', lane: 'default', priority: 0 };
  return { id, ...place, ...counters, dueAt, createdAt: START, rev: 3, schemaVersion: 1 };
}

/** The same in Suspended, to be tried again at once. */
export function goodSuspended(id: string): SuspendedJob {
  return { ...goodJob(id, START), cause: CAUSE, suspendedAt: START, from: 'jobs', tryAt: START, tries: 1 };
}

/** Good jobs in every place from which jobs start, beside which damaged rows are laid. */
export class RowScenario {
  readonly ran = new Map<string, number>();
  readonly good: readonly string[];
  readonly rig: Rig;

  private constructor(rig: Rig, good: readonly string[], ran: Map<string, number>) {
    this.rig = rig;
    this.good = good;
    this.ran = ran;
  }

  static async lay(): Promise<RowScenario> {
    const ran = new Map<string, number>();
    const count = work.handle(({ job }) => {
      if (job.type !== 'work') throw new Error('A handler was called for a job that is not its own.');
      ran.set(job.id, (ran.get(job.id) ?? 0) + 1);
    });
    const rig = new Rig({ handlers: [count] });
    const ready = [await rig.client.enqueue(work, {}), await rig.client.enqueue(work, {}, { group: 'g', key: 'k' })];
    const timers = neighbourIds(2, TIMERS_DUE);
    const suspended = neighbourIds(1, START);
    for (const id of timers)
      await rig.tables.write({ op: 'put', table: 'timers', row: timerRow({ ...goodJob(id, TIMERS_DUE), kind: 'timer' }) });
    for (const id of suspended) await rig.tables.write({ op: 'put', table: 'suspended', row: suspendedRow(goodSuspended(id)) });
    await rig.tables.write({ op: 'put', table: 'control', row: { ...heldCauseKey(CAUSE), cause: CAUSE, seenAt: iso(START) } });
    return new RowScenario(rig, [...ready.map(({ id }) => id), ...timers, ...suspended], ran);
  }

  /** Advances time, with ticks and deliveries. Nothing may throw, and the store must refuse no request. */
  async play(): Promise<void> {
    for (let round = 0; round < ROUNDS; round++) {
      await this.rig.drain();
      await this.rig.fire();
      await this.rig.sweep();
      await this.rig.drain();
      await this.rig.clock.advance(10 * MINUTE);
    }
    const failed = this.rig.journal.entries.find(({ event }) => event === 'store-failed');
    if (failed !== undefined) throw new Error(`${failed.reason ?? ''} ${failed.error?.message ?? ''}\n${failed.error?.stack ?? ''}`);
    const left = this.good.filter((id) => this.ran.get(id) !== 1);
    if (left.length > 0) throw new Error(`${left.length} of ${this.good.length} neighbours did not run once: ${left.join()}`);
  }
}
