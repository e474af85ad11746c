import { defined } from '../../../job/defined.ts';
import { iso, storedInstant } from '../../../job/instant.ts';
import type { Rules } from '../model/rules.ts';
import type { RowKey, Tables, Write } from '../../../ports/tables.ts';
import { tryTransact } from '../../../store/transact.ts';
import type { RuleChange } from './change-rules.ts';
import { readRules, RULES } from './rules.ts';

/** In the partition of the rules, so that executors read it with them. */
const SWITCHED_OFF: RowKey & { readonly sk: string } = { pk: RULES, sk: 'switched-off' };

/** Who switched a deployment off, when and why. */
export interface SwitchedOff {
  readonly actor: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly reason?: string;
}

/** Marks the deployment as switched off, or takes the mark away. No deployment of the stack touches it. */
export async function markSwitched(
  tables: Tables,
  off: SwitchedOff | undefined,
  { verb, scope, token, records }: RuleChange,
): Promise<void> {
  const write: Write =
    off === undefined
      ? { op: 'delete', table: 'control', key: SWITCHED_OFF }
      : {
          op: 'put',
          table: 'control',
          row: { ...SWITCHED_OFF, actor: off.actor, at: iso(off.at), ...defined({ reason: off.reason }) },
        };
  const outcome = await tryTransact(tables, `${verb}/${scope}/${token}`, { writes: [write], records });
  if (!outcome.applied) throw outcome.error();
}

/** The mark among the rules; undefined while the deployment is on. A damaged one holds. */
export function switchedOff({ others }: Rules): SwitchedOff | undefined {
  const row = others.get(SWITCHED_OFF.sk);
  if (row === undefined) return undefined;
  const { actor, at, reason } = row;
  return { actor: String(actor ?? ''), at: storedInstant(at) ?? 0, ...(typeof reason === 'string' ? { reason } : {}) };
}

/** The rules at the start of a tick: half a read unit. If they cannot be read, none: the tick runs and meets the store's error itself. */
export async function rulesOfTick(tables: Tables): Promise<Rules | undefined> {
  return readRules(tables).then(
    ({ rules }) => rules,
    () => undefined,
  );
}

/** Whether a tick has nothing to do because the deployment is switched off. */
export async function tickIsOff(tables: Tables): Promise<boolean> {
  const rules = await rulesOfTick(tables);
  return rules !== undefined && switchedOff(rules) !== undefined;
}
