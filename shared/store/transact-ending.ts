import { defined } from '../job/defined.ts';
import type { JobId } from '../job/job-id.ts';
import type { Row, Tables, Write } from '../ports/tables.ts';
import { releaseKey } from './control-rows.ts';
import { BESIDE, transact } from './transact.ts';

/** Groups of writes. Those of a group of which a condition fails are planned anew; `looks` counts the plans. */
export interface PlannedWrites {
  readonly writes: readonly (readonly Write[])[];
  readonly looks: number;
  plan(refused: readonly number[]): Promise<void>;
}

/** How often the jobs that a transaction cancels may change between a look and the transaction. */
const MAX_LOOKS = 5;

/** A transaction that ends a job. `fences` demand that the job is as it was seen; `key` is the hash of the unique key that ends with it. */
export interface Ending {
  readonly id: JobId;
  readonly fences: readonly Write[];
  readonly writes: readonly Write[];
  readonly key: string | undefined;
  readonly token: string;
  /** Writes that are left out together if one of their conditions fails, while the rest is applied: follow-ups whose key is taken. */
  readonly optional?: readonly (readonly Write[])[];
  /** Jobs that the transaction cancels. Those whose writes are refused are looked at again. */
  readonly cancels?: PlannedWrites;
  /** A handler's own items. */
  readonly beside?: readonly unknown[];
  /**
   * What is left out, as indexes that only this function interprets. Give the same set to every try of one ending: the first
   * try may have been applied without these, and only a repeat of that very transaction is recognised.
   */
  readonly leftOut?: Set<number>;
}

/** Applied, without the optional groups in `leftOut` (by index); or the fence did not hold, and `row` is the current row; or a handler's own item was refused. */
export type EndingResult =
  | { readonly applied: true; readonly leftOut: ReadonlySet<number> }
  | { readonly applied: false; readonly row?: Row; readonly besideRefused?: true };

/**
 * Performs the writes and frees the key with them. A key that belongs to another job by now is left out. Throws
 * StoreUnavailableError if another transaction conflicted, which proves nothing about the job.
 */
export async function transactEnding(tables: Tables, ending: Ending): Promise<EndingResult> {
  const { id, fences, writes, key, token, optional = [], beside = [], leftOut = new Set(), cancels } = ending;
  const release = key === undefined ? [] : [releaseKey(key, id)];
  // The key's release comes first among the optional writes.
  const groups: readonly (readonly Write[])[] = [release, ...optional];
  for (let looks = 1; ;) {
    const kept = withoutNeedlessRelease(groups.flatMap((group, index) => (leftOut.has(index) ? [] : [{ group, index }])));
    const without = leftOut.size === 0 ? '' : `/without/${[...leftOut].join()}`;
    const cancelled = (cancels?.writes ?? []).map((group, index) => ({ group, index }));
    const named = Object.fromEntries([
      ...kept.map(({ group, index }) => [optionalName(index), group] as const),
      ...cancelled.map(({ group, index }) => [cancelName(index), group] as const),
    ]);
    const again = cancels === undefined || cancels.looks === 1 ? '' : `/look/${cancels.looks}`;
    const outcome = await transact<string>(
      tables,
      `${token}${without}${again}`,
      { fences, writes, ...named },
      beside.length === 0 ? {} : { beside },
    );
    if (outcome.applied) return { applied: true, leftOut: new Set([...leftOut].map((index) => index - 1)) };
    if (outcome.failed('fences')) return { applied: false, ...defined({ row: outcome.row('fences') }) };
    if (outcome.failed(BESIDE)) return { applied: false, besideRefused: true };
    const failed = kept.filter(({ index }) => outcome.failed(optionalName(index)));
    const refused = cancelled.filter(({ index }) => outcome.failed(cancelName(index))).map(({ index }) => index);
    if (failed.length + refused.length === 0) throw outcome.error();
    for (const { index } of failed) leftOut.add(index);
    if (refused.length === 0) continue;
    if (looks++ === MAX_LOOKS) throw outcome.error();
    await cancels?.plan(refused);
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
const cancelName = (index: number): string => `cancel ${index}`;
