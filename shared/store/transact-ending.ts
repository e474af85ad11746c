import { defined } from '../core/defined.ts';
import type { JobId } from '../core/job-id.ts';
import type { Row, Tables, Write } from '../ports/tables.ts';
import { keyOfJob } from './conditions.ts';
import { uniqueKeyKey } from './control-rows.ts';
import { BESIDE, transact } from './transact.ts';

/** A transaction that ends a job. `fences` demand that the job is as it was seen; `key` is the hash of the unique key that ends with it. */
export interface Ending {
  readonly id: JobId;
  readonly fences: readonly Write[];
  readonly writes: readonly Write[];
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
  const { id, fences, writes, key, token, optional = [], beside = [], leftOut = new Set() } = ending;
  const release: Write[] = key === undefined ? [] : [{ op: 'delete', table: 'control', key: uniqueKeyKey(key), condition: keyOfJob(id) }];
  // The key's release stands first among what may be left out.
  const groups: readonly (readonly Write[])[] = [release, ...optional];
  for (;;) {
    const kept = withoutNeedlessRelease(groups.flatMap((group, index) => (leftOut.has(index) ? [] : [{ group, index }])));
    const without = [...leftOut].join();
    const named = Object.fromEntries(kept.map(({ group, index }) => [optionalName(index), group]));
    const outcome = await transact<string>(
      tables,
      leftOut.size === 0 ? token : `${token}/without/${without}`,
      { fences, writes, ...named },
      beside.length === 0 ? {} : { beside },
    );
    if (outcome.applied) return { applied: true, leftOut: new Set([...leftOut].map((index) => index - 1)) };
    if (outcome.failed('fences')) return { applied: false, ...defined({ row: outcome.row('fences') }) };
    if (outcome.failed(BESIDE)) return { applied: false, besideRefused: true };
    const failed = kept.filter(({ index }) => outcome.failed(optionalName(index)));
    if (failed.length === 0) throw outcome.error();
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

const optionalName = (index: number): string => `optional ${index}`;
