import { defined } from '../shared/job/defined.ts';
import { type BoundedType, listBoundedTypes, mayHaveBounds } from '../shared/features/backlogs/store/backlog-rows.ts';
import { openCount } from '../shared/features/error-groups/model/error-group.ts';
import { decodeErrorGroup, ERROR_GROUPS } from '../shared/features/error-groups/store/error-group-rows.ts';
import { isInForce } from '../shared/features/rules/model/rules.ts';
import { readRules } from '../shared/features/rules/store/rules.ts';
import { presentName } from '../shared/job/worker-names.ts';
import type { RowKey, Tables } from '../shared/ports/tables.ts';
import { HELD_CAUSES } from '../shared/store/control-rows.ts';
import type { AdminDeps } from './admin-deps.ts';
import { EVERY_TYPE } from '../shared/features/workers/store/worker-rows.ts';
import { workerVerbs } from '../shared/features/workers/admin/list-workers.ts';
import type { TypeBacklog, TypeList, TypeOnWorker, TypeVerbs } from './type-view.ts';
import type { WorkerView } from '../shared/features/workers/admin/worker-view.ts';

const PAGE = 1_000;
/** About 4,000 error groups. */
const MAX_UNITS = 500;
const OF_TYPE = 'type#';
const NO_HANDLER = 'no-handler#';

/** Creates the verb for types. */
export function typeVerbs(deps: Pick<AdminDeps, 'tables' | 'clock' | 'deployment'>): TypeVerbs {
  return { types: async () => listTypes(deps) };
}

async function listTypes(deps: Pick<AdminDeps, 'tables' | 'clock' | 'deployment'>): Promise<TypeList> {
  const { tables, clock, deployment } = deps;
  const [reports, dead, held, { rules }] = await Promise.all([
    workerVerbs(deps).workers(),
    deadByType(tables),
    partition(tables, HELD_CAUSES),
    readRules(tables),
  ]);
  const now = clock.now();
  const workers = reports
    .filter(({ worker }) => deployment.workers.has(worker))
    .map((one) => ({ ...one, worker: presentName(deployment.workers, one.worker) }))
    .toSorted((a, b) => b.lastSeen.getTime() - a.lastSeen.getTime());
  const bounded = mayHaveBounds(rules.others) ? await listBoundedTypes(tables, now) : [];
  const backlogs = new Map(bounded.map((one) => [one.type, backlogOf(one)]));
  const suspended = new Set([...rules.suspensions.values()].flatMap((one) => (isInForce(one, now) ? typeOf(one.scope, OF_TYPE) : [])));
  const missing = new Set(held.rows.flatMap(({ sk }) => typeOf(String(sk), NO_HANDLER)));
  const reported = workers.flatMap(({ types }) => types).filter((type) => type !== EVERY_TYPE);
  const names = new Set([...reported, ...dead.counts.keys(), ...backlogs.keys(), ...suspended, ...missing]);
  return {
    types: [...names].toSorted().map((type) => ({
      type,
      workers: workersOf(type, workers),
      deadLetters: dead.counts.get(type) ?? 0,
      suspended: suspended.has(type) || isInForceForAll(rules.suspensions.get('all'), now),
      handlerMissing: missing.has(type),
      ...defined({ backlog: backlogs.get(type) }),
    })),
    anyType: namesOf(EVERY_TYPE, workers),
    complete: dead.complete && held.complete,
    readUnits: dead.readUnits + held.readUnits,
  };
}

const backlogOf = ({ bound, measured }: BoundedType): TypeBacklog => ({
  bound,
  ...(measured === undefined ? {} : { ready: measured.count, measuredAt: new Date(measured.from) }),
});

/** The workers with a handler for a type, by name. */
function namesOf(type: string, workers: readonly WorkerView[]): readonly string[] {
  return [...new Set(workers.filter(({ types }) => types.includes(type)).map(({ worker }) => worker))].toSorted();
}

/** `workers` are sorted by the last report. */
function workersOf(type: string, workers: readonly WorkerView[]): readonly TypeOnWorker[] {
  return namesOf(type, workers).flatMap((name) => {
    const own = workers.filter(({ worker }) => worker === name);
    const having = own.filter(({ types }) => types.includes(type));
    const [last] = having;
    if (last === undefined) return [];
    const { worker, kind, lastSeen } = last;
    return [
      { worker, kind, versions: having.map(({ version }) => version), current: last === own[0], off: last.off.includes(type), lastSeen },
    ];
  });
}

async function deadByType(tables: Tables) {
  const { rows, ...read } = await partition(tables, ERROR_GROUPS);
  const counts = new Map<string, number>();
  for (const group of rows.map(decodeErrorGroup)) {
    const open = openCount(group);
    if (open > 0) counts.set(group.type, (counts.get(group.type) ?? 0) + open);
  }
  return { counts, ...read };
}

async function partition(tables: Tables, name: string) {
  const rows = [];
  let [after, readUnits]: [RowKey | undefined, number] = [undefined, 0];
  do {
    const page = await tables.query({ table: 'control', partition: name, limit: PAGE, ...defined({ after }) });
    rows.push(...page.rows);
    readUnits += page.readUnits;
    after = page.cursor;
  } while (after !== undefined && readUnits < MAX_UNITS);
  return { rows, readUnits, complete: after === undefined };
}

function isInForceForAll(all: Parameters<typeof isInForce>[0] | undefined, now: number): boolean {
  return all !== undefined && isInForce(all, now);
}

/** The type of a scope or cause; none of a type on one worker. */
function typeOf(scope: string, prefix: string): readonly string[] {
  return scope.startsWith(prefix) && !scope.includes('@') ? [scope.slice(prefix.length)] : [];
}
