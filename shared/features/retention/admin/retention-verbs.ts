import { defined } from '../../../job/defined.ts';
import { InvalidInputError } from '../../../job/errors.ts';
import { iso, storedInstant } from '../../../job/instant.ts';
import { checkOptions, checkTypeName } from '../../../job/names.ts';
import type { OperatorAct } from '../../../ports/operator-act.ts';
import type { Row, RowKey, Tables } from '../../../ports/tables.ts';
import { tryTransact } from '../../../store/transact.ts';
import { actOf, type AuditContext } from '../../../operator/act.ts';
import type { OperatorDeps } from '../../../operator/operator-deps.ts';
import { recordWrites } from '../../operator-records.ts';
import { isOver, MAX_DAYS, MAX_RULES, newestOver, type Retention } from '../model/retention.ts';
import { groupOf, isNoted } from '../store/remove-old.ts';
import { daysOfRow, isRetentionRow, retentionKey, retentionOf, retentionRow, scopeOfRow } from '../store/retention-rows.ts';
import { ACQUIRE } from '../../../store/control-rows.ts';

/** What a rule is about: the dead letters of a type, or those of all types without a rule of their own. */
export type RetentionScope = 'all' | { readonly type: string };

/** A rule in a list. `setting`: the deployment's `deadLetterDays`, which a rule for all overrides. */
export type ListedRetention =
  | { readonly scope: string; readonly from: 'setting'; readonly days: number }
  | {
      readonly scope: string;
      readonly from: 'operator';
      /** Absent if it cannot be read: then everything is kept. Set it again. */
      readonly days?: number;
      readonly actor: string;
      readonly at: Date;
      readonly reason?: string;
    };

/** What a rule would remove now. */
export interface RetentionPreview {
  /** Dead letters that are older. */
  readonly removes: number;
  /** Older ones that stay, because their error group has a note or an owner. */
  readonly noted: number;
  /** The oldest of those that would be removed. */
  readonly oldest?: Date;
  /** False: `maxReadUnits` were spent before the end of the table, and there may be more. */
  readonly complete: boolean;
  readonly readUnits: number;
}

/** How long dead letters are kept. Without a rule: until they are removed by hand. */
export interface RetentionVerbs {
  /**
   * Lets the sweeper remove dead letters of the scope that failed longer ago than `days`, from 1 to 3,650, from its next runs on, for good.
   * Those of an error group with a note or an owner stay. Each removal is in the audit.
   */
  setRetention(scope: RetentionScope, days: number, context?: AuditContext): Promise<void>;
  /** Takes a rule back. Those of a type are then kept as long as all others; without a rule or setting for all, until they are removed by hand. */
  clearRetention(scope: RetentionScope, context?: AuditContext): Promise<'cleared' | 'not-set'>;
  /** The rules in force, that for all first. One query. */
  retention(): Promise<readonly ListedRetention[]>;
  /** What the rule would remove now, with the other rules as they are. Writes nothing. Scans DeadLetters, for at most `maxReadUnits` (default 2,000). */
  previewRetention(scope: RetentionScope, days: number, options?: { readonly maxReadUnits?: number }): Promise<RetentionPreview>;
}

const READ_UNITS = 2_000;
const MAX_READ_UNITS = 1_000_000;
const PAGE = 500;

/** Creates the verbs. */
export function retentionVerbs(deps: OperatorDeps): RetentionVerbs {
  const { tables, clock } = deps;
  const setting = (): number => deps.deployment.settings.deadLetterDays;
  return {
    async setRetention(given, days, context) {
      const scope = scopeText(given);
      checkDays(days);
      const act = actOf(deps, { verb: 'setRetention', scope, detail: `${days} days` }, context);
      const others = (await readRules(tables)).filter((row) => scopeOfRow(row) !== scope);
      if (others.length >= MAX_RULES)
        throw new InvalidInputError('scope', given, `There are ${MAX_RULES} rules, which is the most. Clear one, or set one for 'all'.`);
      const { actor, at, reason } = act;
      await perform(deps, act, { op: 'put', table: 'control', row: retentionRow({ scope, days, actor, at, ...defined({ reason }) }) });
    },
    async clearRetention(given, context) {
      const scope = scopeText(given);
      const act = actOf(deps, { verb: 'clearRetention', scope }, context);
      const key = retentionKey(scope);
      if ((await tables.get('control', key)) === undefined) return 'not-set';
      await perform(deps, act, { op: 'delete', table: 'control', key });
      return 'cleared';
    },
    async retention() {
      const listed = (await readRules(tables)).map(listedRule);
      const ruled = listed.some(({ scope }) => scope === 'all');
      return ruled || setting() === 0 ? listed : [{ scope: 'all', from: 'setting', days: setting() }, ...listed];
    },
    async previewRetention(given, days, options = {}) {
      const scope = scopeText(given);
      checkDays(days);
      checkOptions(options, ['maxReadUnits'], 'options');
      const { maxReadUnits = READ_UNITS } = options;
      if (!Number.isSafeInteger(maxReadUnits) || maxReadUnits < 1 || maxReadUnits > MAX_READ_UNITS)
        throw new InvalidInputError('maxReadUnits', maxReadUnits, `Use a whole number from 1 to ${MAX_READ_UNITS}.`);
      return preview(tables, onlyOf(retentionOf(await readRules(tables), setting()), scope, days), { now: clock.now(), maxReadUnits });
    },
  };
}

/** The dead letters of which this one rule decides: the others are kept. */
function onlyOf({ types }: Retention, scope: string, days: number): Retention {
  const kept = new Map([...types.keys()].map((type) => [type, Number.POSITIVE_INFINITY]));
  if (scope === 'all') return { all: days, types: kept };
  return { all: Number.POSITIVE_INFINITY, types: kept.set(scope.slice('type#'.length), days) };
}

async function preview(
  tables: Tables,
  retention: Retention,
  { now, maxReadUnits }: { readonly now: number; readonly maxReadUnits: number },
): Promise<RetentionPreview> {
  const filter = { test: 'atMost', attribute: 'failedAt', value: iso(newestOver(retention, now) ?? 0) } as const;
  const groups = new Map<string, boolean>();
  let [removes, noted, readUnits, oldest] = [0, 0, 0, ''];
  let after: RowKey | undefined;
  do {
    const page = await tables.scan({ table: 'deadLetters', segment: 0, segments: 1, limit: PAGE, filter, ...defined({ after }) });
    readUnits += page.readUnits;
    for (const row of page.rows.filter((one) => isOver(one, retention, now))) {
      const fingerprint = String(row['fingerprint']);
      if (!groups.has(fingerprint)) groups.set(fingerprint, isNoted(await tables.get('control', groupOf(row))));
      if (groups.get(fingerprint) === true) noted++;
      else {
        removes++;
        oldest = oldest === '' || String(row['failedAt']) < oldest ? String(row['failedAt']) : oldest;
      }
    }
    after = page.cursor;
  } while (after !== undefined && readUnits < maxReadUnits);
  return { removes, noted, ...(oldest === '' ? {} : { oldest: new Date(oldest) }), complete: after === undefined, readUnits };
}

async function readRules(tables: Tables): Promise<readonly Row[]> {
  const { rows } = await tables.query({ table: 'control', partition: ACQUIRE, limit: 1_000, consistent: true });
  return rows.filter(isRetentionRow);
}

function listedRule(row: Row): ListedRetention {
  const days = daysOfRow(row);
  const at = new Date(storedInstant(row['at']) ?? 0);
  const reason = typeof row['reason'] === 'string' ? row['reason'] : undefined;
  const rule = { scope: scopeOfRow(row), from: 'operator', actor: String(row['actor'] ?? ''), at } as const;
  return { ...rule, ...(Number.isFinite(days) ? { days } : {}), ...defined({ reason }) };
}

async function perform(
  { tables, entropy }: OperatorDeps,
  act: OperatorAct,
  rule: Parameters<typeof tryTransact>[2][string],
): Promise<void> {
  const token = entropy.token();
  const outcome = await tryTransact(tables, `${act.verb}/${act.scope}/${token}`, { rule, records: recordWrites(act, token) });
  if (!outcome.applied) throw outcome.error();
}

function scopeText(given: unknown): string {
  if (given === 'all') return 'all';
  const isObject = typeof given === 'object' && given !== null;
  if (isObject) checkOptions(given, ['type'], 'scope');
  const { type } = isObject ? (given as { readonly type?: unknown }) : {};
  if (type === undefined) throw new InvalidInputError('scope', given, "Use 'all', or a type such as { type: 'invoice.send' }.");
  return `type#${checkTypeName(type, 'scope.type')}`;
}

function checkDays(days: unknown): void {
  if (Number.isSafeInteger(days) && Number(days) >= 1 && Number(days) <= MAX_DAYS) return;
  throw new InvalidInputError('days', days, `Use a whole number of days from 1 to ${MAX_DAYS}; clear the rule to keep them for ever.`);
}
