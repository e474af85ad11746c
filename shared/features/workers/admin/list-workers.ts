import { presentName } from '../../../job/worker-names.ts';
import { isInForce, workerOfScope } from '../../rules/model/rules.ts';
import { readRules } from '../../rules/store/rules.ts';
import { readWorkers, type ReportedWorker } from '../store/worker-rows.ts';
import type { OperatorDeps } from '../../../operator/operator-deps.ts';
import type { WorkerVerbs, WorkerView } from './worker-view.ts';

/** Twice the time after which a busy process reports. */
const FRESH_MS = 10 * 60_000;

/** Creates the verbs for workers. */
export function workerVerbs({ tables, clock, deployment }: Pick<OperatorDeps, 'tables' | 'clock' | 'deployment'>): WorkerVerbs {
  return {
    async workers() {
      const now = clock.now();
      const [reported, { rules }] = await Promise.all([readWorkers(tables, now), readRules(tables, true)]);
      const off = [...rules.suspensions.values()].flatMap((one) => {
        const scope = isInForce(one, now) ? workerOfScope(one.scope) : undefined;
        return scope === undefined ? [] : [scope];
      });
      const present = (name: string): string => presentName(deployment.workers, name);
      const offOn = (name: string): readonly string[] =>
        off.filter(({ worker }) => present(worker) === present(name)).map(({ type }) => type);
      return reported.map((one) => viewOf(one, offOn(one.worker), now)).toSorted(byNameThenLast);
    },
  };
}

function viewOf({ firstSeen, lastSeen, versions, codecs, ...told }: ReportedWorker, off: readonly string[], now: number): WorkerView {
  const payloads = versions === undefined ? {} : { payloads: Object.fromEntries(versions) };
  const names = codecs === undefined ? {} : { codecs: [...new Set(codecs.map((one) => one.slice(one.search(/[=@]/) + 1)))].toSorted() };
  return {
    ...told,
    ...payloads,
    ...names,
    off,
    firstSeen: new Date(firstSeen),
    lastSeen: new Date(lastSeen),
    fresh: now - lastSeen <= FRESH_MS,
  };
}

function byNameThenLast(a: WorkerView, b: WorkerView): number {
  if (a.worker !== b.worker) return a.worker < b.worker ? -1 : 1;
  return b.lastSeen.getTime() - a.lastSeen.getTime();
}
