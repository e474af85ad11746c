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
});
