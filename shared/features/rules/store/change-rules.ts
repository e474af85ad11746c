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

/** Sets a suspension, in place of an earlier one of the same scope or of `former` ones. */
export async function putSuspension(tables: Tables, suspension: Suspension, former: readonly string[], change: RuleChange): Promise<void> {
  await perform(tables, change, [
    { op: 'put', table: 'control', row: suspensionRow(suspension) },
    ...former.map((scope) => deletion(scope)),
    // A rate belongs to the resume that named it.
    causeUpdate(suspension.scope, suspension.at, {}, ['ratePerSecond', 'releaseFrom', 'releasedUntil']),
  ]);
}

/**
 * Ends the suspensions of these scopes: from `releaseFrom` on no executor applies them any more, and their jobs are resumed at the given rate,
 * which is that of all of them together. A read for each scope if there are several.
 */
export async function endSuspension(
  tables: Tables,
  scopes: readonly string[],
  release: { readonly now: number; readonly releaseFrom: number; readonly ratePerSecond?: number },
  change: RuleChange,
): Promise<void> {
  const { now, releaseFrom, ratePerSecond } = release;
  const rate = ratePerSecond === undefined ? {} : { ratePerSecond: ratePerSecond / (await causesOf(tables, scopes)) };
  const set = { releaseFrom: iso(releaseFrom), ...rate };
  const remove = ['releasedUntil', ...(ratePerSecond === undefined ? ['ratePerSecond'] : [])];
  await perform(
    tables,
    change,
    scopes.flatMap((scope) => [deletion(scope), causeUpdate(scope, now, set, remove)]),
  );
}

/** The number of these scopes for which jobs may be suspended, at least one: the sweeper paces each by itself. */
async function causesOf(tables: Tables, scopes: readonly string[]): Promise<number> {
  if (scopes.length === 1) return 1;
  const rows = await Promise.all(scopes.map((scope) => tables.get('control', heldCauseKey(scope))));
  return Math.max(1, rows.filter((row) => row !== undefined).length);
}

/** Sets a priority for a type or tenant, in place of an earlier one of the same scope. */
export async function putPriority(tables: Tables, rule: PriorityRule, change: RuleChange): Promise<void> {
  await perform(tables, change, [{ op: 'put', table: 'control', row: priorityRow(rule) }]);
}

/** Takes a priority away; jobs that have it keep it. */
export async function removePriority(tables: Tables, scope: string, change: RuleChange): Promise<void> {
  await perform(tables, change, [{ op: 'delete', table: 'control', key: priorityKey(scope) }]);
}

const deletion = (scope: string): Write => ({ op: 'delete', table: 'control', key: suspensionKey(scope) });

function causeUpdate(scope: string, now: number, set: Readonly<Record<string, string | number>>, remove: readonly string[]): Write {
  return { op: 'update', table: 'control', key: heldCauseKey(scope), set: { cause: scope, seenAt: iso(now), ...set }, remove };
}

async function perform(tables: Tables, { verb, scope, token, records }: RuleChange, writes: readonly Write[]): Promise<void> {
  const outcome = await tryTransact(tables, `${verb}/${scope}/${token}`, { writes, records });
  if (!outcome.applied) throw outcome.error();
}
