import { createAdminOver } from '../../../../operate/admin.ts';
import type { JobError, LeasedJob } from '../../../../shared/job/job.ts';
import { executorOwner } from '../../../../shared/job/lock-owner.ts';
import type { SingleWrite } from '../../../../shared/ports/tables.ts';
import { resume } from '../../../../shared/store/resume.ts';
import { bury } from '../../../../shared/store/bury.ts';
import { cancelTerms, endAsCancelled } from '../../../../shared/store/cancel.ts';
import { claim, takeOver } from '../../../../shared/store/claim.ts';
import { complete } from '../../../../shared/store/complete.ts';
import { acquireLockKey } from '../../../../shared/store/control-rows.ts';
import { fire, firing } from '../../../../shared/store/fire.ts';
import { writeHeartbeat } from '../../../../shared/store/heartbeat.ts';
import { decodeJob, decodeLeasedJob, decodeSuspendedJob } from '../../../../shared/store/job-codec.ts';
import { locate } from '../../../../shared/store/locate.ts';
import { releaseLock, takeLock } from '../../../../shared/store/take-lock.ts';
import { runAgainLater } from '../../../../shared/store/run-again-later.ts';
import { quarantine } from '../../../../shared/store/quarantine.ts';
import { reset } from '../../../../shared/store/reset.ts';
import { runAgain } from '../../../../shared/store/run-again.ts';
import { idKey, timerKey } from '../../../../shared/store/rows.ts';
import { suspend } from '../../../../shared/store/suspend.ts';
import { enqueueOne, enqueueSeveral, enqueueWithOwnId } from './enqueue-verbs.ts';
import { inOrder, type Stage } from './stage.ts';
import type { VerbCall } from './verbs.ts';

const REDISPATCH_AFTER_MS = 120_000;
const RECENT = 3;
const LATER_MS = 3_600_000;

/** Performs one verb on one of the two deployments. Undefined when there is nothing yet that it could be about. */
export async function performVerb(stage: Stage, call: VerbCall): Promise<unknown> {
  const { rig, ids } = stage;
  const id = recent(ids, call.job);
  switch (call.verb) {
    case 'enqueue':
      return enqueueOne(stage, call);
    case 'enqueue with own id':
      return enqueueWithOwnId(stage, call);
    case 'enqueue many':
      return enqueueSeveral(stage, call);
    case 'deliver':
      return rig.deliver(1);
    case 'fire':
      return inOrder(stage, () => rig.fire());
    case 'sweep':
      return inOrder(stage, () => rig.sweep());
    case 'advance':
      return rig.clock.advance(call.ms);
    case 'take lock':
      return takeLock(rig.tables, acquireLockKey('00'), `run/${call.choice}`, {
        now: rig.clock.now(),
        expiresAt: rig.clock.now() + call.ms,
      });
    case 'release lock':
      return releaseLock(rig.tables, acquireLockKey('00'), `run/${call.choice}`);
    case 'beat':
      return writeHeartbeat(rig.tables, `nobody ${call.choice}`, rig.clock.now(), { fired: call.job });
    default:
      return id === undefined ? undefined : onJob(stage, call, id);
  }
}

/** One of the last few, so that verbs meet each other. */
function recent<Item>(items: readonly Item[], number: number): Item | undefined {
  return items.at(-1 - (number % Math.min(Math.max(items.length, 1), RECENT)));
}

/** Verbs about one job by its id. */
async function onJob(stage: Stage, call: VerbCall, id: string): Promise<unknown> {
  const { rig, leases } = stage;
  const { client, tables, clock } = rig;
  const now = clock.now();
  const lease = { owner: executorOwner(rig.deps.entropy.token(), call.choice % 2 === 0), expiresAt: now + call.ms + 1 };
  switch (call.verb) {
    case 'cancel':
      return client.cancel(id);
    case 'reschedule':
      return client.reschedule(id, { runAt: now + call.ms });
    case 'get':
      return client.get(id);
    case 'locate':
      return locate(tables, id);
    case 'redrive':
      return createAdminOver(rig.deps).redrive(id);
    case 'spoil':
      return tables.write(spoiled(id, call.choice));
    case 'claim': {
      const found = await claim(tables, { id, n: 1 + (call.choice % 3) }, lease, now);
      if (found.result === 'claimed') leases.push(found.job);
      return found;
    }
    case 'take over': {
      const seen = await rowInJobs(stage, id);
      const found = seen && (await takeOver(tables, seen, lease, { crashes: seen.crashes + 1, now }));
      if (found?.result === 'claimed') leases.push(found.job);
      return found;
    }
    case 'reset': {
      const seen = await rowInJobs(stage, id);
      return (
        seen &&
        reset(tables, call.choice === 0 ? { ...seen, lockExpiresAt: seen.lockExpiresAt - 1 } : seen, {
          ...readyTerms(stage),
          crashes: seen.crashes,
        })
      );
    }
    case 'resume': {
      const row = await tables.get('suspended', idKey(id));
      return row && resume(tables, decodeSuspendedJob(row), { ...readyTerms(stage), delayHorizonMs: 900_000 });
    }
    case 'quarantine': {
      const row = await tables.get('jobs', idKey(id));
      return row && call.choice === 0 && quarantine(tables, 'jobs', row, { error: new TypeError('asked to'), now });
    }
    case 'fire one': {
      const row = await tables.get('timers', timerKey(id));
      return row && (await fire(tables, [firing(decodeJob(row), readyTerms(stage))])).length;
    }
    default: {
      const held = recent(leases, call.job);
      return held && onLease(stage, call, held);
    }
  }
}

/** Verbs that end or give back a run, by the lease that an executor believes it has. */
function onLease(stage: Stage, call: VerbCall, held: LeasedJob): Promise<unknown> {
  const { tables, clock } = stage.rig;
  const now = clock.now();
  const error: JobError = { name: 'TypeError', message: `asked to ${call.choice}`, at: now };
  const soon = { ...readyTerms(stage) };
  switch (call.verb) {
    case 'retry':
      return runAgain(tables, held, { dueAt: now + 10_000, counts: 'failures', error }, soon);
    case 'snooze':
      return runAgain(tables, held, { dueAt: now + call.ms / 100, counts: 'snoozes' }, soon);
    case 'give back':
      return runAgain(tables, held, {}, soon);
    case 'retry later':
      return runAgainLater(tables, held, { dueAt: now + LATER_MS + call.ms, counts: 'failures', error });
    case 'bury':
      return bury(tables, held, { reason: 'failed', error, requestId: 'request' });
    case 'suspend':
      return suspend(tables, held, { cause: `type#${held.type}`, now, tryAt: now + call.ms, tries: call.choice });
    case 'end as cancelled':
      return endAsCancelled(tables, held, call.choice % 2 === 0 ? 'owner' : 'sweeper', cancelTerms(stage.rig.deps));
    default:
      return complete(tables, held, { now: () => clock.now() });
  }
}

async function rowInJobs({ rig }: Stage, id: string): Promise<LeasedJob | undefined> {
  const row = await rig.tables.get('jobs', idKey(id));
  return row && decodeLeasedJob(row);
}

function readyTerms({ rig }: Stage) {
  return { token: rig.deps.entropy.token(), now: rig.clock.now(), redispatchAfterMs: REDISPATCH_AFTER_MS };
}

/** A row damaged by hand. */
function spoiled(id: string, choice: number): SingleWrite {
  const condition = { test: 'present', attribute: 'id' } as const;
  return { op: 'update', table: 'jobs', key: idKey(id), set: choice % 2 === 0 ? { rev: 'seven' } : { dueAt: 'never' }, condition };
}
