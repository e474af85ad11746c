import { defined } from '../core/defined.ts';
import { StoreUnavailableError } from '../core/errors.ts';
import { sha256 } from '../core/hash.ts';
import type { JobId } from '../core/job-id.ts';
import type { CancelReason, Row, Tables, TransactOutcome, Write } from '../ports/tables.ts';
import { keyOfJob } from './conditions.ts';
import { uniqueKeyKey } from './control-rows.ts';
import { addUpWrites } from './add-up-writes.ts';

/** A transaction that ends a job. The first `fences` of `writes` (default 1) are the fenced ones; `key` is the hash of the unique key that ends with the job. */
export interface Ending {
  readonly id: JobId;
  readonly writes: readonly Write[];
  readonly fences?: number;
  readonly key: string | undefined;
  readonly token: string;
  /** Writes that are left out together when a condition of theirs fails, while the rest is applied: follow-ups whose key is taken. */
  readonly optional?: readonly (readonly Write[])[];
  /** A handler's own items. */
  readonly beside?: readonly unknown[];
  /**
   * What is left out, as numbers that mean something to this function alone. Give the same set to every try of one ending: the first
   * try may have been applied without these, and only a repeat of that very transaction is recognised.
   */
  readonly leftOut?: Set<number>;
}

/** Applied, without the optional groups in `leftOut` (by index); or the fence did not hold, and `row` is what stands there instead; or a handler's own item was refused. */
export type Ended =
  | { readonly applied: true; readonly leftOut: ReadonlySet<number> }
  | { readonly applied: false; readonly row?: Row; readonly besideRefused?: true };

/**
 * Performs the writes and frees the key with them. A key that belongs to another job by now is left out. Throws
 * StoreUnavailableError when another transaction was in the way: that says nothing about the job.
 */
export async function transactEnding(tables: Tables, ending: Ending): Promise<Ended> {
  const { id, writes, key, token, optional = [], beside = [], leftOut = new Set() } = ending;
  const release: Write[] = key === undefined ? [] : [{ op: 'delete', table: 'control', key: uniqueKeyKey(key), condition: keyOfJob(id) }];
  // The key's release stands first among what may be left out.
  const groups: readonly (readonly Write[])[] = [release, ...optional];
  for (;;) {
    const kept = withoutNeedlessRelease(groups.flatMap((group, index) => (leftOut.has(index) ? [] : [{ group, index }])));
    const planned = addUpWrites([...writes, ...kept.flatMap(({ group }) => group)]);
    const name = leftOut.size === 0 ? token : sha256(`${token}/without/${[...leftOut].join()}`);
    const outcome = await tables.transact(planned.writes, name, beside.length === 0 ? {} : { beside });
    if (outcome.applied) return { applied: true, leftOut: new Set([...leftOut].map((index) => index - 1)) };
    const refused = refusalOf(outcome, planned.writes.length, ending.fences);
    if (refused !== undefined) return refused;
    const failed = kept.filter(({ group }) => group.some((write) => planned.reasonOf(write, outcome.reasons)?.code === 'condition'));
    if (failed.length === 0) throw inTheWay(outcome.reasons);
    for (const { index } of failed) leftOut.add(index);
  }
}

interface Group {
  readonly group: readonly Write[];
  readonly index: number;
}

/** A job that takes the key over does what the release would, and a transaction takes no two writes of a row. */
function withoutNeedlessRelease(kept: readonly Group[]): readonly Group[] {
  const [first] = kept;
  const [release] = first?.index === 0 ? first.group : [];
  if (release?.op !== 'delete') return kept;
  const { pk } = release.key;
  const others = kept.slice(1);
  return others.some(({ group }) => group.some((write) => write.op === 'put' && write.table === 'control' && write.row['pk'] === pk))
    ? others
    : kept;
}

function refusalOf({ reasons }: TransactOutcome & { applied: false }, writes: number, fences = 1): Ended | undefined {
  const fence = reasons.slice(0, fences).find(({ code }) => code === 'condition');
  if (fence?.code === 'condition') return { applied: false, ...defined({ row: fence.row }) };
  return reasons.slice(writes).some(({ code }) => code === 'condition') ? { applied: false, besideRefused: true } : undefined;
}

/** What a cancelled transaction without a failed condition means: somebody else's transaction, so nothing is known. */
export function inTheWay(reasons: readonly CancelReason[]): StoreUnavailableError {
  return new StoreUnavailableError('transaction', new Error(`cancelled: ${reasons.map(({ code }) => code).join(', ')}`));
}
