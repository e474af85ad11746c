import type { ActivationStatus } from '../../operate/activation.ts';
import { batchActions, refusedKind } from '../../shared/adapters/dynamodb/batch-support.ts';
import type { WorkerView } from '../../shared/features/workers/admin/worker-view.ts';
import { MissingPackageError } from '../../shared/job/errors.ts';
import { MAX_CLOCK_SKEW_MS } from '../../shared/job/lease.ts';
import { lengthText } from '../text/time.ts';
import { type Check, type Finding, unseen } from './check.ts';

/** Acquirers and sweeper have ended a run lately. */
export const heartbeatsCheck: Check = {
  name: 'heartbeats',
  run: async ({ deployment, admin }) => {
    const beats = await admin.heartbeats();
    const expected = ['sweeper', ...Array.from({ length: deployment.settings.acquirers }, (_, index) => `acquirer/${index}`)];
    return expected.map((who): Finding => {
      const beat = beats.find((one) => one.who === who);
      const what = { check: 'heartbeat', subject: who };
      const task = who === 'sweeper' ? 'jobs of crashed executors are not recovered' : 'timers do not fire';
      if (beat === undefined) {
        return {
          ...what,
          status: 'failed',
          says: `has never finished a run: ${task}`,
          fix: 'Run nightcrew activate, then look at the logs of its function.',
        };
      }
      if (!beat.late) return { ...what, status: 'ok', says: 'finished a run recently' };
      return {
        ...what,
        status: 'failed',
        says: `finished its last run at ${beat.at.toISOString()}: ${task}`,
        fix: 'Run nightcrew activate --status, then look at the logs of its function.',
      };
    });
  },
};

/** The ticks are on and the event sources feed the executors. */
export const activationCheck: Check = {
  name: 'activation',
  run: async ({ activation, admin }) => {
    const look =
      activation === undefined
        ? notKnown('their names are not known here', 'Use --stack, or NIGHTCREW_ACTIVATION.')
        : await lookAt(activation);
    if ('check' in look) return [look];
    const { schedules, eventSourceMappings } = look;
    const off = await admin.deploymentOff();
    const on =
      off === undefined
        ? { status: 'ok' as const, says: 'on' }
        : {
            status: 'failed' as const,
            says: `is on, but ${off.actor} switched the deployment off at ${off.at.toISOString()}: it does nothing`,
            fix: 'Run nightcrew activate if the deployment should run, or nightcrew deactivate to switch this off again.',
          };
    const judged = (kind: string, states: Readonly<Record<string, string>>): readonly Finding[] =>
      Object.entries(states).map(([name, state]) => ({
        check: kind,
        subject: name,
        ...(state.toUpperCase() === 'ENABLED'
          ? on
          : { status: 'failed' as const, says: `is ${state}`, fix: 'Run nightcrew activate if the deployment should run.' }),
      }));
    return [...judged('tick', schedules), ...judged('event source', eventSourceMappings)];
  },
};

function notKnown(says: string, fix: string): Finding {
  return { check: 'activation', subject: 'ticks and event sources', status: 'unknown', says, fix };
}

/** An operator may lack the permission or the SDK clients to read the switch of the deployment: that is not a fault. */
async function lookAt(activation: () => Promise<ActivationStatus>): Promise<ActivationStatus | Finding> {
  try {
    return await activation();
  } catch (error) {
    if (error instanceof MissingPackageError) return notKnown('cannot be read: a package is missing here', error.install);
    if (!(error instanceof Error) || !/AccessDenied/.test(error.name)) throw error;
    return notKnown(
      'cannot be read with these credentials',
      'Use grantActivate of the construct to allow it. The heartbeats show whether the functions run.',
    );
  }
}

/** Each worker has reported once, and none has that the deployment does not know. */
export const workersCheck: Check = {
  name: 'workers',
  run: async ({ deployment, admin, looks }) => {
    const seen = await admin.workers();
    const strangers = seen.filter(({ worker }) => !deployment.workers.has(worker));
    const known = [...deployment.workers.keys()].map((worker): Finding => {
      const own = seen.filter((one) => one.worker === worker);
      const what = { check: 'worker', subject: worker };
      if (own.length === 0) {
        return {
          ...what,
          status: 'warning',
          says: 'has not reported in 30 days',
          fix: 'Nothing to do if it had no jobs. Otherwise look at the logs of its function.',
        };
      }
      const refusal = own.find(({ fresh, batchRefusal }) => fresh && batchRefusal !== undefined)?.batchRefusal;
      if (refusal !== undefined && !looks.local) {
        return {
          ...what,
          status: 'warning',
          ...toldOfBatches(refusal),
        };
      }
      const versions = own.filter(({ fresh }) => fresh).length;
      return { ...what, status: 'ok', says: versions > 0 ? 'reported recently' : `last seen ${own[0]?.lastSeen.toISOString() ?? ''}` };
    });
    return [...known, ...[...new Set(strangers.map(({ worker }) => worker))].map((worker) => unknownWorker(worker, strangers))];
  },
};

/** What a worker reported of its batches: one form of statement, or all of a kind. */
function toldOfBatches(refusal: string): Pick<Finding, 'says' | 'fix'> {
  const kind = refusedKind(refusal);
  if (kind === undefined) {
    return {
      says: `makes some writes one by one: ${refusal}`,
      fix: 'Nothing to do for a store that lacks this statement. On AWS, report it.',
    };
  }
  return {
    says: `makes its writes one by one, at several times the CPU: ${refusal}`,
    fix: `Deploy the stack again, and allow ${batchActions(kind)} in the policy of a VPC endpoint.`,
  };
}

/** A worker that was renamed without `formerly`, or removed. It takes no scan to know it: workers report. */
function unknownWorker(worker: string, seen: readonly WorkerView[]): Finding {
  const last = Math.max(...seen.filter((one) => one.worker === worker).map(({ lastSeen }) => lastSeen.getTime()));
  return {
    check: 'worker',
    subject: worker,
    status: 'warning',
    says: `is not a worker of the deployment, but reported at ${new Date(last).toISOString()}: jobs that name it wait`,
    fix: `If it was renamed, add formerly: ['${worker}'] to its new name. If it was removed, nightcrew jobs list --worker ${worker} shows what it left.`,
  };
}

/** Checks that no worker without a FIFO queue has grouped jobs. Reads Jobs only for such workers. */
export const groupsCheck: Check = {
  name: 'groups',
  run: async ({ deployment, admin }) => {
    if ([...deployment.workers.values()].every(({ fifo }) => fifo !== undefined)) return [];
    const { withoutGroupQueue = [] } = await admin.blockedGroups();
    return withoutGroupQueue.map((worker): Finding => ({
      check: 'groups',
      subject: worker,
      status: 'warning',
      says: 'runs grouped jobs but has no FIFO queue: a job whose group is locked waits until the lease of the holder ends',
      fix: 'Give the worker groups: true in the construct.',
    }));
  },
};

/** This machine's clock agrees with the service's. */
export const clockCheck: Check = {
  name: 'clock',
  run: async ({ looks }) => {
    const look = await looks.clock();
    const what = { check: 'clock', subject: 'this machine' };
    const not = unseen(look, what);
    if (not !== undefined || !('saw' in look)) return not === undefined ? [] : [not];
    const { aheadMs, withinMs } = look.saw;
    const off = Math.abs(aheadMs);
    const direction = aheadMs > 0 ? 'ahead of' : 'behind';
    if (off <= MAX_CLOCK_SKEW_MS + withinMs)
      return [{ ...what, status: 'ok', says: `agrees with DynamoDB's clock within ${lengthText(Math.max(off, withinMs))}` }];
    return [
      {
        ...what,
        status: 'failed',
        says: `is ${lengthText(off)} ${direction} DynamoDB's clock`,
        fix: `Set the clock (NTP). Producers and workers on this machine may be off by at most ${MAX_CLOCK_SKEW_MS / 1000} s.`,
      },
    ];
  },
};
