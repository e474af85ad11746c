import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../../../operate/admin.ts';
import { followUp } from '../../../../shared/job/follow-up.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';
import { sealingCodec } from '../../../support/sealing-codec.ts';

const work = defineJob('work', { payload: anyPayload });
const told = defineJob('told', { payload: anyPayload, codec: sealingCodec('seal'), retry: 'never' });

/** A batch of acme's that is still open; the payloads of its callbacks are sealed for their tenant. */
async function stage() {
  const ran: unknown[] = [];
  const rig = new Rig({
    handlers: [work.handle(() => undefined), told.handle(({ payload, job }) => void ran.push([job.tenant, payload['of']]))],
  });
  const batch = await rig.client.createBatch({
    tenant: 'acme',
    onCompleted: followUp(told, { of: 'completed' }),
    onSucceeded: followUp(told, { of: 'succeeded' }, { tenant: 'umbrella' }),
  });
  const end = async (): Promise<void> => {
    await batch.enqueue(work, {});
    await batch.seal();
    await rig.drain();
  };
  const admin = createAdminOver({ ...rig.deps, jobTypes: new Map([[told.name, told]]) });
  return { rig, ran, id: batch.id, admin, blind: createAdminOver(rig.deps), end };
}

describe('a batch whose callbacks are encoded', () => {
  it.each(['globex', null])('has them encoded again for its new tenant: %s', async (tenant) => {
    const { ran, id, admin, end } = await stage();
    await admin.changeBatchTenant(id, tenant);
    await end();
    expect(ran).toHaveLength(2);
    expect(ran).toContainEqual([tenant ?? undefined, 'completed']);
    expect(ran).toContainEqual(['umbrella', 'succeeded']);
  });

  it('keeps its tenant in a session that cannot encode them', async () => {
    const { rig, ran, id, blind, end } = await stage();
    const before = await rig.rows('control');
    await expect(blind.changeBatchTenant(id, 'globex')).rejects.toMatchObject({ name: 'InvalidInputError', field: 'id' });
    expect(await rig.rows('control')).toEqual(before);
    await end();
    expect(ran).toContainEqual(['acme', 'completed']);
  });
});
