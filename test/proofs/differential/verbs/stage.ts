import type { HandledJob } from '../../../../shared/job/job-type.ts';
import type { LeasedJob } from '../../../../shared/job/job.ts';
import type { JobId } from '../../../../shared/job/job-id.ts';
import type { Hint } from '../../../../shared/job/hint.ts';
import { defineJob, fail, snooze } from '../../../../shared/index.ts';
import type { SettableClock } from '../../../../shared/adapters/memory/settable-clock.ts';
import type { Tables } from '../../../../shared/ports/tables.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';

/** The handler's script in a payload. */
export const DEEDS = ['complete', 'throw', 'fail', 'snooze soon', 'snooze later'] as const;

/** A retry without chance in it, soon first and later beyond the delay horizon. */
export const work = defineJob('work', { payload: anyPayload, retry: 'PT10S,PT1H' });
/** A type that no worker handles. */
export const stranger = defineJob('stranger', { payload: anyPayload });

const handled: HandledJob = work.handle(async ({ payload }) => {
  switch (payload['do']) {
    case 'throw':
      throw new TypeError('asked to');
    case 'fail':
      return fail('asked to');
    case 'snooze soon':
      return snooze('PT30S');
    case 'snooze later':
      return snooze('PT2H');
    default:
      return undefined;
  }
});

/** When a sequence begins: so late that no store which really deletes what has expired deletes anything of it. */
export const BEGINNING: number = Date.UTC(2080, 0, 1);

/** One of two deployments that do the same, with its record so far. */
export interface Stage {
  readonly rig: Rig;
  /** Jobs in the order in which they were created. */
  readonly ids: JobId[];
  /** Every lease that was ever taken: most of them are old, as a zombie's is. */
  readonly leases: LeasedJob[];
}

/** A deployment over the given tables. The same seed draws the same ids. */
export function openStage(clock: SettableClock, tables: Tables, seed: number): Stage {
  return { rig: new Rig({ clock, tables, seed, handlers: [handled], history: 'durable' }), ids: [], leases: [] };
}

/** Runs a tick and then sends what it sent in the order of the ids: a store's scans come in an order of its own. */
export async function inOrder<Result>({ rig }: Stage, tick: () => Promise<Result>): Promise<Result> {
  const { hints } = rig;
  const kept: Hint[] = [];
  const send = hints.send.bind(hints);
  hints.send = async (sent) => {
    kept.push(...sent);
    return [];
  };
  try {
    return await tick();
  } finally {
    hints.send = send;
    await send(kept.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
  }
}
