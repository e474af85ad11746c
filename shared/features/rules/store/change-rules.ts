import { iso } from '../../../job/instant.ts';
import type { PriorityRule, Suspension } from '../model/rules.ts';
import type { Tables, Write } from '../../../ports/tables.ts';
import { heldCauseKey } from '../../../store/control-rows.ts';
import { priorityKey, priorityRow, suspensionKey, suspensionRow } from './rules.ts';
import { tryTransact } from '../../../store/transact.ts';

/** Terms of a rule change: `token` is fresh for each call. */
export interface RuleChange {
  readonly verb: string;
  readonly scope: string;
  readonly token: string;
  /** What records the change, in the same transaction. */
  readonly records: readonly Write[];
}

/** Sets a suspension, in place of an earlier one of the same scope. */
export async function putSuspension(tables: Tables, suspension: Suspension, change: RuleChange): Promise<void> {
  await perform(tables, change, [
    { op: 'put', table: 'control', row: suspensionRow(suspension) },
    // A rate belongs to the resume that named it.
    causeUpdate(suspension.scope, suspension.at, {}, ['ratePerSecond', 'releaseFrom', 'releasedUntil']),
  ]);
}

/** Ends a suspension: from `releaseFrom` on no executor applies it any more, and its jobs are resumed at the given rate. */
export async function endSuspension(
  tables: Tables,
  scope: string,
  release: { readonly now: number; readonly releaseFrom: number; readonly ratePerSecond?: number },
  change: RuleChange,
): Promise<void> {
  const { now, releaseFrom, ratePerSecond } = release;
  const rate = ratePerSecond === undefined ? {} : { ratePerSecond };
  await perform(tables, change, [
    { op: 'delete', table: 'control', key: suspensionKey(scope) },
    causeUpdate(scope, now, { releaseFrom: iso(releaseFrom), ...rate }, [
      'releasedUntil',
      ...(ratePerSecond === undefined ? ['ratePerSecond'] : []),
    ]),
  ]);
}

/** Sets a priority for a type or tenant, in place of an earlier one of the same scope. */
export async function putPriority(tables: Tables, rule: PriorityRule, change: RuleChange): Promise<void> {
  await perform(tables, change, [{ op: 'put', table: 'control', row: priorityRow(rule) }]);
}

/** Takes a priority away; jobs that have it keep it. */
export async function removePriority(tables: Tables, scope: string, change: RuleChange): Promise<void> {
  await perform(tables, change, [{ op: 'delete', table: 'control', key: priorityKey(scope) }]);
}

function causeUpdate(scope: string, now: number, set: Readonly<Record<string, string | number>>, remove: readonly string[]): Write {
  return { op: 'update', table: 'control', key: heldCauseKey(scope), set: { cause: scope, seenAt: iso(now), ...set }, remove };
}

async function perform(tables: Tables, { verb, scope, token, records }: RuleChange, writes: readonly Write[]): Promise<void> {
  const outcome = await tryTransact(tables, `${verb}/${scope}/${token}`, { writes, records });
  if (!outcome.applied) throw outcome.error();
}
