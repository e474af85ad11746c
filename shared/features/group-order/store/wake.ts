import type { Job } from '../../../job/job.ts';
import type { JobId } from '../../../job/job-id.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Entropy } from '../../../ports/entropy.ts';
import { jobRef } from '../../../ports/journal.ts';
import { noRow, revIs } from '../../../store/conditions.ts';
import { movedKey } from '../../../store/control-rows.ts';
import { decodeJob } from '../../../store/job-codec.ts';
import { waitingHash } from '../../../store/group-places.ts';
import { readyRow } from '../../../store/ready-row.ts';
import { jobRow } from '../../../store/rows.ts';
import { sendHints, type SendDeps } from '../../../store/send-hints.ts';
import { tryTransact } from '../../../store/transact.ts';
import { keyOf, TABLE_SPECS } from '../../../ports/table-spec.ts';
import type { Row, RowKey, Tables } from '../../../ports/tables.ts';
import { limitPartition } from '../../../store/parked-rows.ts';
import { quarantineInGroup } from '../../../store/burials.ts';
import { holding, turnOf } from './turn.ts';

/** What waking a job works with. */
export interface WakeDeps extends SendDeps {
  readonly deployment: { readonly settings: { readonly redispatchAfterMs: number } };
  readonly tables: Tables;
  readonly clock: Clock;
  readonly entropy: Entropy;
}

const LOOKS = 3;

/**
 * Makes the job ready whose turn it is, if it is parked: one read if none is. True if it did. Safe to repeat, and called whenever a job of
 * the group has ended. A parked row that cannot be read is quarantined, so that an operator sees what holds the group back, unless it is an
 * operator who asks: then the acquirer does it.
 */
export async function wakeNext(deps: WakeDeps, groupHash: string, by: 'function' | 'operator' = 'function'): Promise<boolean> {
  const { tables } = deps;
  const partition = limitPartition(waitingHash(groupHash));
  const waiting = await tables.query({ table: 'timers', partition, limit: 1, consistent: true });
  if (waiting.rows.length === 0) return false;
  for (let look = 0; look < LOOKS; look++) {
    const { next } = await turnOf(tables, groupHash);
    if (next === undefined) return false;
    const row = await parkedRow(tables, partition, next.id);
    if (row !== undefined) {
      const parked = readable(row);
      if ('job' in parked) return makeReady(deps, parked.job, keyOf(TABLE_SPECS.timers, row));
      if (by === 'operator') return false;
      await quarantineInGroup(deps, { table: 'timers', row, error: parked.error });
    } else if ((await holding(tables, groupHash))?.holder.id === next.id) return false;
  }
  return false;
}

/** By its pointer, and not by looking everywhere: a part of the store that does not answer must not hold back a group that is elsewhere. */
async function parkedRow(tables: Tables, shard: string, id: JobId): Promise<Row | undefined> {
  const pointer = await tables.get('control', movedKey(id));
  return pointer?.['shard'] === shard ? tables.get('timers', { shard, due: String(pointer['due']) }) : undefined;
}

function readable(row: Row): { readonly job: Job } | { readonly error: unknown } {
  try {
    return { job: decodeJob(row) };
  } catch (error) {
    return { error };
  }
}

/** One transaction, then the hint. */
async function makeReady(deps: WakeDeps, parked: Job, key: RowKey): Promise<boolean> {
  const { redispatchAfterMs } = deps.deployment.settings;
  const now = deps.clock.now();
  const token = deps.entropy.token();
  const ready = readyRow(parked, { token, now, redispatchAfterMs });
  const { applied } = await tryTransact(deps.tables, `wake/${parked.id}/${parked.rev}/${token}`, {
    parked: { op: 'delete', table: 'timers', key, condition: revIs(parked.rev) },
    job: { op: 'put', table: 'jobs', row: jobRow(ready), condition: noRow('id') },
  });
  if (!applied) return false;
  deps.journal.record({ event: 'released', worker: parked.worker, job: jobRef(parked), reason: 'group' });
  await sendHints(deps, [ready], now);
  return true;
}
