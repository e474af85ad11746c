import { describe, expect, it } from 'vitest';
import { DefinitionThrewError } from '../../shared/job/errors.ts';
import { followUp } from '../../shared/job/follow-up.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { complete } from '../../shared/job/verdict.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const work = defineJob('work', { payload: anyPayload });

describe('beforeCreate', () => {
  it('runs in order and may change the job; what it throws refuses it', async () => {
    const rig = new Rig({
      handlers: [work.handle(() => undefined)],
      beforeCreate: [(draft) => ({ ...draft, tenant: 'acme' }), (draft) => ({ ...draft, correlationId: `${String(draft.tenant)}/1` })],
    });
    const { id } = await rig.client.enqueue(work, {});
    expect(await rig.client.get(id)).toMatchObject({ tenant: 'acme', correlationId: 'acme/1' });
    const refusing = new Rig({
      beforeCreate: [
        () => {
          throw new Error('not on Sundays');
        },
      ],
    });
    await expect(refusing.client.enqueue(work, {})).rejects.toThrow(DefinitionThrewError);
  });

  it('is called for the children and callbacks of a batch, and not for follow-ups', async () => {
    const seen: unknown[] = [];
    const rig = new Rig({
      handlers: [
        work.handle(({ payload }) =>
          payload['of'] === 'child' ? complete({ enqueue: [followUp(work, { of: 'follow-up' })] }) : undefined,
        ),
      ],
      beforeCreate: [({ payload }) => void seen.push(payload)],
    });
    await rig.client.enqueueBatch(work, [{ of: 'child' }], { onCompleted: followUp(work, { of: 'callback' }) });
    await rig.drain();
    expect(rig.journal.count('completed')).toBe(3);
    expect(seen).toEqual([{ of: 'callback' }, { of: 'child' }]);
  });

  it.each([
    ['onCompleted.key', { key: 'k' }],
    ['onCompleted.delay', { delay: 'PT1M' }],
    ['onCompleted.delay', { runAt: '2100-01-01T00:00:00Z' }],
    ['onCompleted.id', { id: 'own' }],
  ])('gives a callback of a batch nothing that it refuses as %s: %o', async (field, options) => {
    const given = (rig: Rig) => ('id' in options ? { id: rig.client.newId() } : options);
    const rig: Rig = new Rig({ beforeCreate: [(draft) => ({ ...draft, ...given(rig) })] });
    const creating = rig.client.createBatch({ onCompleted: followUp(work, {}) });
    await expect(creating).rejects.toMatchObject({ name: 'InvalidInputError', field });
    expect(await rig.rows('control')).toEqual([]);
  });

  it('does not make a callback a child of the batch of the handler that creates it', async () => {
    const told = defineJob('told', { payload: anyPayload });
    const refused: unknown[] = [];
    const handler = work.handle(async ({ job }) => {
      joined = job.batch;
      await rig.client.createBatch({ onCompleted: followUp(told, {}) }).catch((error: unknown) => refused.push(error));
    });
    let joined: string | undefined;
    const rig: Rig = new Rig({
      handlers: [handler],
      beforeCreate: [(draft) => (draft.type === 'told' && joined !== undefined ? { ...draft, batch: joined } : draft)],
    });
    await rig.client.enqueueBatch(work, [{}]);
    await rig.drain();
    expect(refused).toMatchObject([{ name: 'InvalidInputError', field: 'onCompleted.batch' }]);
  });
});
