import { expect, it } from 'vitest';
import { createAdminOver } from '../../../../operate/admin.ts';
import type { Death } from '../../../../shared/features/error-groups/model/error-group.ts';
import { inItsErrorGroup } from '../../../../shared/features/error-groups/store/error-groups.ts';
import { faultyRig, type FaultyRig } from '../../../support/faulty-rig.ts';
import { aimAt } from '../../../support/faulty-tables.ts';

const deathAt = (id: string, at: number): Death => ({ fingerprint: 'f', type: 't', errorName: 'E', message: id, id, at });
const bury = async ({ deps }: FaultyRig, death: Death) =>
  inItsErrorGroup(
    deps,
    { death, attempt: death.id },
    async () => true,
    () => true,
  );

it('a group that came back after it was resolved stays so when an earlier death is counted late', async () => {
  const rig = faultyRig();
  const admin = createAdminOver(rig.deps);
  const start = rig.clock.now();
  await bury(rig, deathAt('first', start));
  // The write of a death waits while an operator resolves the group and another job dies.
  rig.faults.before(aimAt('update', 'control'), async () => {
    await rig.clock.advance(2_000);
    await admin.resolveErrorGroup('f');
    await rig.clock.advance(2_000);
    await bury(rig, deathAt('later', start + 4_000));
  });
  await bury(rig, deathAt('slow', start + 1_000));
  const { groups } = await admin.errorGroups({ state: 'all' });
  expect(groups).toMatchObject([{ cameBack: true, seen: 3, sample: 'later', message: 'later', lastSeen: new Date(start + 4_000) }]);
});
