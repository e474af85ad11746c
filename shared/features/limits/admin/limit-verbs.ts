import { defined } from '../../../job/defined.ts';
import { InvalidInputError } from '../../../job/errors.ts';
import { iso, storedInstant } from '../../../job/instant.ts';
import { MAX_SLOTS } from '../../../job/limit.ts';
import { checkTypeName, checkWorkerName } from '../../../job/names.ts';
import type { OperatorAct } from '../../../ports/operator-act.ts';
import type { Row, RowKey, Write } from '../../../ports/tables.ts';
import { all, noRow, unchanged } from '../../../store/conditions.ts';
import { transact } from '../../../store/transact.ts';
import { actOf, type AuditContext } from '../../../operator/act.ts';
import type { OperatorDeps } from '../../../operator/operator-deps.ts';
import { recordWrites } from '../../operator-records.ts';
import { readRules, RULES } from '../../rules/store/rules.ts';
import { readWorkers, type ReportedWorker } from '../../workers/store/worker-rows.ts';
import { isSlotCount, limitName, limitSort, type RuleRows } from '../model/operator-limit.ts';
import { type LimitUses, readLimits } from './limit-use.ts';

/** What an operator set a limit to. */
export interface SetNumber {
  /** Absent if it cannot be read: then the number of the code holds. Set it again. */
  readonly n?: number;
  readonly actor: string;
  readonly at: Date;
  readonly reason?: string;
}

/** A limit and its number: how many jobs run at once, or start in a period. */
export interface ListedLimit {
  readonly limit: string;
  /** The number in force; absent if neither a worker nor a readable number is known. */
  readonly n?: number;
  /** The number of the code, as the worker says that reported last; absent if none that reported within 30 days has the limit. */
  readonly coded?: number;
  /** Of a rate: the length of its period in milliseconds. */
  readonly perMs?: number;
  /** Workers whose jobs are under it. */
  readonly workers: readonly string[];
  /** Present if an operator set a number. */
  readonly set?: SetNumber;
}

/** What is held and waits under the limits, and the numbers that operators set. Executors apply these within five seconds; they survive deployments. */
export interface LimitVerbs {
  /**
   * Limits under which jobs are parked. Parked jobs are read to be counted, at most 100 of a limit, 10 where there are more than ten limits;
   * it begins no further limit once it has read about `maxReadUnits` (default 500).
   */
  limits(options?: { readonly maxReadUnits?: number }): Promise<LimitUses>;
  /** The limits of all workers that reported within 30 days, and those that an operator set, by name. Two queries. */
  limitNumbers(): Promise<readonly ListedLimit[]>;
  /**
   * Sets how many jobs may run at once under a limit, or start in a period, from 0 to 100, for each of its keys. Jobs that run go on. With 0 no further job starts:
   * jobs wait. `conflict`: another operator changed the number in the same moment, and nothing was written.
   */
  setLimit(limit: string, n: number, context?: AuditContext): Promise<'set' | 'conflict'>;
  /** Gives a limit back to the number of the code. `conflict` as for `setLimit`. */
  clearLimit(limit: string, context?: AuditContext): Promise<'cleared' | 'not-set' | 'conflict'>;
}

/** Creates the verbs. */
export function limitVerbs(deps: OperatorDeps): LimitVerbs {
  const { tables, clock } = deps;
  return {
    limits: async (options = {}) => readLimits(deps, options),
    async limitNumbers() {
      const [workers, { rules }] = await Promise.all([readWorkers(tables, clock.now()), readRules(tables, true)]);
      return listed(workers, rules.others);
    },
    async setLimit(limit, n, context) {
      const key = keyOf(limit);
      if (!isSlotCount(n)) {
        throw new InvalidInputError(
          'n',
          n,
          `Use a whole number from 0 to ${MAX_SLOTS}; with 0 no further job starts. Clear it to go back to the code's.`,
        );
      }
      const act = actOf(deps, { verb: 'setLimit', scope: limitSort(limit), detail: String(n) }, context);
      const before = await tables.get('control', key);
      const { actor, at, reason } = act;
      const row: Row = { ...key, n, actor, at: iso(at), ...defined({ reason }) };
      return (await perform(deps, act, before, { op: 'put', table: 'control', row })) ? 'set' : 'conflict';
    },
    async clearLimit(limit, context) {
      const key = keyOf(limit);
      const act = actOf(deps, { verb: 'clearLimit', scope: limitSort(limit) }, context);
      const before = await tables.get('control', key);
      if (before === undefined) return 'not-set';
      return (await perform(deps, act, before, { op: 'delete', table: 'control', key })) ? 'cleared' : 'conflict';
    },
  };
}

const TENANT_LIMIT = 'tenant/';

/** A number among the rules; `tenant/` and a worker's name is the cap of that worker on each tenant. */
function keyOf(limit: string): RowKey {
  if (typeof limit === 'string' && limit.startsWith(TENANT_LIMIT)) checkWorkerName(limit.slice(TENANT_LIMIT.length), 'limit');
  else checkTypeName(limit, 'limit');
  return { pk: RULES, sk: limitSort(limit) };
}

function listed(workers: readonly ReportedWorker[], rows: RuleRows): readonly ListedLimit[] {
  const coded = new Map<string, { readonly n: number; readonly perMs?: number }>();
  const users = new Map<string, Set<string>>();
  for (const { worker, limits = [] } of workers.toSorted((a, b) => a.lastSeen - b.lastSeen)) {
    for (const { name, n, perMs } of limits) {
      coded.set(name, { n, ...defined({ perMs }) });
      users.set(name, (users.get(name) ?? new Set()).add(worker));
    }
  }
  const set = [...rows.keys()].flatMap((sk) => limitName(sk) ?? []);
  return [...new Set([...coded.keys(), ...set])].toSorted().map((limit) => {
    const code = coded.get(limit);
    const row = rows.get(limitSort(limit));
    const set = row === undefined ? undefined : setNumber(row);
    const numbers = { n: set?.n ?? code?.n, coded: code?.n, perMs: code?.perMs };
    return { limit, ...defined(numbers), workers: [...(users.get(limit) ?? [])].toSorted(), ...defined({ set }) };
  });
}

/** What a row says. */
export function setNumber({ n, actor, at, reason }: Row): SetNumber {
  return {
    ...(isSlotCount(n) ? { n } : {}),
    actor: String(actor ?? ''),
    at: new Date(storedInstant(at) ?? 0),
    ...(typeof reason === 'string' ? { reason } : {}),
  };
}

/** With its record in the audit, if the number is still what the operator saw. */
async function perform({ tables, entropy }: OperatorDeps, act: OperatorAct, before: Row | undefined, write: Write): Promise<boolean> {
  const condition = before === undefined ? noRow('pk') : all(unchanged('at', before['at']), unchanged('n', before['n']));
  const token = entropy.token();
  const outcome = await transact(tables, token, { number: { ...write, condition }, records: recordWrites(act, token) });
  return outcome.applied;
}
