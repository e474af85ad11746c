import { defined } from '../../../job/defined.ts';
import { iso, storedInstant } from '../../../job/instant.ts';
import type { PriorityRule, Rules, Suspension } from '../model/rules.ts';
import type { Row, RowKey, Tables } from '../../../ports/tables.ts';
import { readable, rowCodec } from '../../../store/row-codec.ts';

/** The partition of Control that executors read as a whole: keep it small. */
export const RULES = 'rules';

const SUSPENSION = 'suspension#';
const PRIORITY = 'priority#';
const DAY_MS = 86_400_000;
const PAGE = 1_000;
const TERMS = rowCodec({ from: 'instant?', createdAfter: 'instant?', until: 'instant?' });
const RULE = rowCodec({ priority: 'integer', at: 'instant' });

/** Row of a suspension by its scope. */
export const suspensionKey = (scope: string): RowKey => ({ pk: RULES, sk: `${SUSPENSION}${scope}` });

/** Row of a priority at run time by its scope. */
export const priorityKey = (scope: string): RowKey => ({ pk: RULES, sk: `${PRIORITY}${scope}` });

/** A suspension with an end is removed by TTL a day later; until then it documents the past. */
export const suspensionRow = ({ scope, reason, actor, at, ...terms }: Suspension): Row => ({
  ...suspensionKey(scope),
  reason,
  actor,
  at: iso(at),
  ...TERMS.encode(terms),
  ...(terms.until === undefined ? {} : { expiresAt: Math.ceil((terms.until + DAY_MS) / 1000) }),
});

/** Row of a priority at run time. */
export const priorityRow = ({ scope, priority, actor, at, cascade }: PriorityRule): Row => ({
  ...priorityKey(scope),
  priority,
  actor,
  at: iso(at),
  cascade,
});

/** The rules, and the sort keys of rows that could not be read completely. */
export interface ReadRules {
  readonly rules: Rules;
  readonly unreadable: readonly string[];
}

/** Every rule; half a read unit while there are few of them. `consistent` for callers that act on the end of a suspension. */
export async function readRules(tables: Tables, consistent = false): Promise<ReadRules> {
  const rows: Row[] = [];
  let after: RowKey | undefined;
  do {
    const page = await tables.query({
      table: 'control',
      partition: RULES,
      limit: PAGE,
      consistent,
      ...defined({ after }),
    });
    rows.push(...page.rows);
    after = page.cursor;
  } while (after !== undefined);
  return decodeRules(rows);
}

function decodeRules(rows: readonly Row[]): ReadRules {
  const suspensions = new Map<string, Suspension>();
  const priorities = new Map<string, PriorityRule>();
  const others = new Map<string, Row>();
  const unreadable: string[] = [];
  for (const row of rows) {
    const sk = String(row['sk']);
    if (sk.startsWith(SUSPENSION)) {
      const { suspension, whole } = decodeSuspension(sk.slice(SUSPENSION.length), row);
      suspensions.set(suspension.scope, suspension);
      if (!whole) unreadable.push(sk);
    } else if (sk.startsWith(PRIORITY)) {
      const rule = decodePriority(sk.slice(PRIORITY.length), row);
      if (rule === undefined) unreadable.push(sk);
      else priorities.set(rule.scope, rule);
    } else others.set(sk, row);
  }
  return { rules: { suspensions, priorities, others }, unreadable };
}

/** A damaged suspension still applies, to every job and without an end: an operator must lift it. */
function decodeSuspension(scope: string, row: Row): { readonly suspension: Suspension; readonly whole: boolean } {
  const at = storedInstant(row['at']);
  const [terms] = readable(() => TERMS.decode(row));
  const suspension = { scope, reason: String(row['reason'] ?? ''), actor: String(row['actor'] ?? ''), at: at ?? 0, ...terms };
  return { suspension, whole: at !== undefined && terms !== undefined };
}

function decodePriority(scope: string, row: Row): PriorityRule | undefined {
  const [rule] = readable(() => RULE.decode(row));
  return rule && { scope, ...rule, actor: String(row['actor'] ?? ''), cascade: row['cascade'] === true };
}
