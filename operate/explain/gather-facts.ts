import { defined } from '../../shared/job/defined.ts';
import { RowUnreadableError } from '../../shared/job/errors.ts';
import { hash32 } from '../../shared/job/hash.ts';
import { groupHash, lockGroup } from '../../shared/job/hint.ts';
import { storedInstant } from '../../shared/job/instant.ts';
import type { Job } from '../../shared/job/job.ts';
import { shardOf } from '../../shared/job/job-id.ts';
import { presentName } from '../../shared/job/worker-names.ts';
import { queueOfJob } from '../../shared/job/queue-of.ts';
import type { Backlog } from '../../shared/ports/hints.ts';
import { readBatchHead } from '../../shared/features/batches/store/batch-rows.ts';
import { groupLockKey, heartbeatKey, heldCauseKey } from '../../shared/store/control-rows.ts';
import { decodeErrorGroup, errorGroupKey } from '../../shared/features/error-groups/store/error-group-rows.ts';
import { waitsBehind } from '../../shared/features/group-order/admin/turn-facts.ts';
import { hasPlace, groupOfWaiting } from '../../shared/store/group-places.ts';
import { limitPartition } from '../../shared/store/parked-rows.ts';
import type { Located } from '../../shared/store/locate.ts';
import { readRules } from '../../shared/features/rules/store/rules.ts';
import { scheduleRunKey } from '../../shared/features/schedules/store/schedule-rows.ts';
import { readSchedule } from '../../shared/features/schedules/store/schedules.ts';
import { parkedUnder, ratesOf } from '../../shared/features/limits/admin/limit-facts.ts';
import { BREAKPOINT, waitsForWorker } from '../../shared/store/suspend.ts';
import { readWorkers } from '../../shared/features/workers/store/worker-rows.ts';
import type { AdminDeps } from '../admin-deps.ts';
import type { LastHeartbeat, Facts } from './facts.ts';

/** Dependencies of an explanation; without `backlog` waiting messages are not counted. */
export type ExplainDeps = Pick<AdminDeps, 'tables' | 'deployment' | 'clock'> & { readonly backlog?: Backlog };

/** Reads what the state of the job needs, and nothing for a finished one: up to nine small reads at once. */
export async function gatherFacts(deps: ExplainDeps, found: Located): Promise<Facts> {
  const { deployment } = deps;
  const worker = presentName(deployment.workers, found.job.worker);
  const located = worker === found.job.worker ? found : ({ ...found, job: { ...found.job, worker } } as Located);
  const { job } = located;
  const queues = deployment.workers.get(job.worker);
  const base = {
    located,
    settings: deployment.settings,
    deployed: deployment.workers,
    workerKnown: queues !== undefined,
    groupQueue: queues?.fifo !== undefined,
  };
  switch (located.state) {
    case 'waiting': {
      const acquirer = lastHeartbeatOf(deps, acquirerOf(deps, Number.parseInt(shardOf(job.id), 16)));
      return together(base, { acquirer, ...ahead(deps, located.job), ...inOrder(deps, located.job) });
    }
    case 'parked': {
      const hash = String(located.key['shard']).slice(limitPartition('').length);
      const acquirer = lastHeartbeatOf(deps, acquirerOf(deps, hash32(hash)));
      const group = groupOfWaiting(hash);
      if (group !== undefined) return together(base, { acquirer, behind: waitsBehind(deps.tables, group, located) });
      return together(base, { acquirer, limit: parkedUnder(deps.tables, hash, located.key) });
    }
    case 'ready':
      return together(base, { ...atWork(deps), ...ahead(deps, located.job), ...inQueue(deps, located.job), ...inOrder(deps, located.job) });
    case 'running':
      return together(base, atWork(deps));
    case 'suspended':
      return together(base, { ...suspended(deps, located.job.cause), ...inOrder(deps, located.job) });
    case 'dead':
      return together(base, { errorGroupSeen: seenOf(deps, located.job.fingerprint), ...inOrder(deps, located.job) });
    case 'finished':
      return base;
  }
}

type Asked = { readonly [Name in keyof Facts]?: Promise<Facts[Name] | undefined> };

async function together(
  base: Pick<Facts, 'located' | 'settings' | 'deployed' | 'workerKnown' | 'groupQueue'>,
  asked: Asked,
): Promise<Facts> {
  const answers = await Promise.all(Object.entries(asked).map(async ([name, answer]) => [name, await answer] as const));
  return { ...base, ...Object.fromEntries(answers.filter(([, answer]) => answer !== undefined)) };
}

const acquirerOf = ({ deployment }: ExplainDeps, n: number): string => `acquirer/${n % deployment.settings.acquirers}`;

async function lastHeartbeatOf({ tables }: ExplainDeps, who: string): Promise<LastHeartbeat> {
  const report = (await tables.get('control', heartbeatKey(who))) ?? {};
  const at = storedInstant(report['at']);
  return { report, ...defined({ at }) };
}

/** Whether the sweeper is alive, and the reports of workers. */
function atWork(deps: ExplainDeps): Asked {
  return { sweeper: lastHeartbeatOf(deps, 'sweeper'), workers: readWorkers(deps.tables, deps.clock.now()) };
}

/** What may block a job from starting, whether it is due or not. Runs that an operator started are exempt from rules. */
function ahead(deps: ExplainDeps, job: Job): Asked {
  const { tables } = deps;
  const { schedule, batch } = job;
  return {
    ...(job.runNow === true ? {} : { rules: readRules(tables, true).then(({ rules }) => rules) }),
    ...(schedule === undefined ? {} : { schedule: scheduleOf(deps, schedule), turnOf: turnOf(deps, schedule, job.id) }),
    ...(batch === undefined
      ? {}
      : { batchCancelled: readBatchHead(tables, batch).then((head) => head?.cancelledAt !== undefined, unreadable(false)) }),
    ...(job.booked === undefined ? {} : { rates: ratesOf(tables, job) }),
  };
}

const unreadable =
  <Instead>(instead: Instead) =>
  (error: unknown): Instead => {
    if (error instanceof RowUnreadableError) return instead;
    throw error;
  };

async function scheduleOf({ tables }: ExplainDeps, name: string): Promise<NonNullable<Facts['schedule']>> {
  return readSchedule(tables, name).then((schedule) => schedule ?? ('gone' as const), unreadable('unreadable' as const));
}

async function turnOf({ tables }: ExplainDeps, schedule: string, id: string): Promise<string | undefined> {
  const holder = (await tables.get('control', scheduleRunKey(schedule)))?.['jobId'];
  return typeof holder === 'string' && holder !== id ? holder : undefined;
}

function inQueue(deps: ExplainDeps, job: Job): Asked {
  const { backlog, deployment, clock } = deps;
  const group = lockGroup(job);
  const queues = deployment.workers.get(job.worker);
  return {
    ...(group === undefined ? {} : { groupLock: groupLockOf(deps, group) }),
    ...(backlog === undefined || queues === undefined || job.dueAt > clock.now()
      ? {}
      : // A queue that does not answer, or may not be asked, only makes the answer poorer.
        { backlog: backlog.visible(queueOfJob(job, queues)).catch(() => undefined) }),
  };
}

async function groupLockOf({ tables }: ExplainDeps, group: string): Promise<Facts['groupLock']> {
  const lock = await tables.get('control', groupLockKey(groupHash(group)));
  const until = storedInstant(lock?.['lockExpiresAt']);
  return until === undefined ? undefined : { owner: String(lock?.['lockOwner']), until };
}

function suspended(deps: ExplainDeps, cause: string): Asked {
  if (cause === BREAKPOINT) return {};
  const { tables } = deps;
  const asked = waitsForWorker(cause) ? atWork(deps) : { sweeper: lastHeartbeatOf(deps, 'sweeper') };
  return {
    ...asked,
    rules: readRules(tables, true).then(({ rules }) => rules),
    cause: tables.get('control', heldCauseKey(cause)).then((row) => row ?? 'none'),
  };
}

function inOrder({ tables }: ExplainDeps, job: Job): Asked {
  return job.groupPlace === undefined ? {} : { holdsGroup: hasPlace(tables, job) };
}

async function seenOf({ tables }: ExplainDeps, fingerprint: string): Promise<number | undefined> {
  const row = await tables.get('control', errorGroupKey(fingerprint));
  return row && decodeErrorGroup(row).seen;
}
