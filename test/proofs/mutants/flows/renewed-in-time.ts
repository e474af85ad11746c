import { defineJob } from '../../../../shared/job/job-type.ts';
import { executorOwner } from '../../../../shared/job/lock-owner.ts';
import { bury } from '../../../../shared/store/bury.ts';
import { takeOver } from '../../../../shared/store/claim.ts';
import { renew } from '../../../../shared/store/renew.ts';
import { reset } from '../../../../shared/store/reset.ts';
import { faultyRig, take } from '../../../support/faulty-rig.ts';
import { anyPayload } from '../../../support/rig.ts';
import type { OutsideViolation } from '../../simulation/outside/outside-world.ts';

const MINUTE = 60_000;
const work = defineJob('work', { payload: anyPayload });

/** A process that saw an expired lease acts on it when its holder has just renewed it. */
export async function renewedInTime(): Promise<readonly OutsideViolation[]> {
  const violations: OutsideViolation[] = [];
  for (const verb of ['reset', 'bury', 'take over'] as const) {
    const rig = faultyRig({});
    const job = await take(rig, (await rig.client.enqueue(work, {})).id);
    await rig.clock.advance(10 * MINUTE);
    const now = rig.clock.now();
    rig.faults.before(
      () => true,
      async () => renew(rig.tables, job, now + MINUTE),
    );
    const { tables } = rig.deps;
    if (verb === 'reset') await reset(tables, job, { token: 't', now, redispatchAfterMs: MINUTE, crashes: 1 });
    else if (verb === 'bury') await bury(tables, job, { reason: 'crash-loop', error: { name: 'E', message: 'm', at: now } });
    else await takeOver(tables, job, { owner: executorOwner('other', true), expiresAt: now + MINUTE }, { crashes: 0, now });
    const [row] = await rig.rows('jobs');
    if (row?.['lockOwner'] !== job.lockOwner) violations.push({ rule: 'runs-once-at-a-time', what: `${verb} of a lease that was renewed` });
  }
  return violations;
}
