import { defined } from '../job/defined.ts';
import { KeyContestedError } from '../job/errors.ts';
import type { Job, LeasedJob } from '../job/job.ts';
import { keyToCancel } from '../job/unique-key.ts';
import type { Tables, WriteWindow } from '../ports/tables.ts';
import { uniqueKeyKey, uniqueKeyRow } from './control-rows.ts';
import { create, type Created, holderOf, type NewJob, putOf } from './create.ts';
import { locateLiving } from './locate.ts';
import { type ConflictTerms, replaceHolder } from './replace-holder.ts';
import { CHANGED, untilUnchanged } from './until-unchanged.ts';

/** A new job that may replace the one that holds its key. */
export type ReplacingJob = NewJob & { readonly conflict: ConflictTerms };

/** As `Created`, or the job that held the key, with the new payload and options; `ready` needs a hint. */
export type CreatedOrReplaced = Created | { readonly created: 'replaced'; readonly job: Job; readonly ready?: LeasedJob };

/** Each round lets one of several callers through that give a job their payloads at the same time. */
const ROUNDS = 16;

/**
 * enqueue with a key whose holder may be replaced: it looks at the key first, then creates the job or replaces the holder. Not created, and not
 * replaced, while the key is held for a time, or by a job that cannot be replaced. Throws KeyContestedError when the key or its holder changes in
 * every round.
 */
export async function createOrReplace(tables: Tables, fresh: ReplacingJob, now: number, window: WriteWindow): Promise<CreatedOrReplaced> {
  const { job, token, conflict, startWithinMs } = fresh;
  const hash = keyToCancel(job) ?? '';
  const readHolder = async () => holderOf(await tables.get('control', uniqueKeyKey(hash)));
  const round = async (): Promise<CreatedOrReplaced | typeof CHANGED> => {
    const held = await readHolder();
    // An attempt of an earlier round was applied after all.
    if (held?.id === job.id) return { created: true };
    const holder = held === undefined || held.lastsForTime ? undefined : await locateLiving(tables, held.id);
    if (held === undefined || holder === undefined) {
      const created = await create(tables, fresh, now, window);
      return created.created || held?.lastsForTime === true ? created : CHANGED;
    }
    const { id } = held;
    if (holder === 'unreadable') return { created: false, id };
    const key = { op: 'put', table: 'control', row: uniqueKeyRow(hash, job.id) } as const;
    // It may have run, and lost its key, between the two reads; its `rev` tells only of what comes after them.
    if (holder.state !== 'running' && (await readHolder())?.id !== id) return CHANGED;
    // Its row must not refer to what is kept for another job; one that runs keeps its own.
    const given = holder.state === 'running' ? undefined : await fresh.payloadFor?.(id);
    const { codec: _codec, ...plain } = job;
    const replacing = given === undefined ? job : { ...plain, ...given };
    const challenger = { job: replacing, token, conflict, put: putOf(fresh), key, ...defined({ startWithinMs }) };
    const settled = await replaceHolder(tables, holder, challenger, { now, window });
    if (settled === CHANGED) return CHANGED;
    if (settled.outcome === 'replaced') return { created: 'replaced', job: settled.job, ...defined({ ready: settled.ready }) };
    return settled.outcome === 'taken-over' ? { created: true } : { created: false, id };
  };
  return untilUnchanged(ROUNDS, round, () => {
    throw new KeyContestedError(job.key ?? '');
  });
}
