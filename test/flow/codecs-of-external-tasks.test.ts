import { describe, expect, it } from 'vitest';
import { defineJob } from '../../shared/index.ts';
import { EveryType } from '../../functions/worker/external/every-type.ts';
import { externalOver } from '../../functions/worker/external/external-over.ts';
import { createMemoryHintSource } from '../../shared/adapters/memory/hint-source.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { sealingCodec } from '../support/sealing-codec.ts';

const SECRET = 'DE89 3704';

function stage() {
  const codec = sealingCodec('seal');
  const pay = defineJob('pay', { payload: anyPayload, codec, retry: 'R3/PT1S' });
  return { codec, pay, rig: new Rig({ handlers: [pay.handle(() => undefined)] }) };
}

describe('a task of an external worker', () => {
  const externalOf = (rig: Rig, types: EveryType) =>
    externalOver({ ...rig.deps, handlers: types }, { source: createMemoryHintSource(rig.hints, rig.clock), queues: rig.queues });

  it('has its payload as it is stored, with the codec that its code needs', async () => {
    const { rig, pay } = stage();
    await rig.client.enqueue(pay, { iban: SECRET });
    const [row] = await rig.rows('jobs');
    const [task] = await rig.until(externalOf(rig, new EveryType('default', [])).fetchAndLock(1, 'PT1M'));
    expect(task).toMatchObject({ payload: row?.['payload'], codec: 'seal' });
  });

  it('of a type that it was given is decoded, and waits if its type lacks the codec', async () => {
    const { rig, pay } = stage();
    await rig.client.enqueue(pay, { iban: SECRET });
    const [task] = await rig.until(externalOf(rig, new EveryType('default', [pay])).fetchAndLock(1, 'PT1M'));
    expect(task).toMatchObject({ payload: { iban: SECRET } });
    expect(task).not.toHaveProperty('codec');
    await rig.client.enqueue(pay, { iban: SECRET });
    const without = defineJob('pay', { payload: anyPayload });
    expect(await rig.until(externalOf(rig, new EveryType('default', [without])).fetchAndLock(1, 'PT1M'))).toEqual([]);
    expect(await rig.rows('suspended')).toMatchObject([{ cause: 'unknown-codec#pay@seal' }]);
  });

  it('that cannot be decoded now is retried', async () => {
    const { rig, pay, codec } = stage();
    const { id } = await rig.client.enqueue(pay, { iban: SECRET });
    codec.failures.push(new Error('away'));
    expect(await rig.until(externalOf(rig, new EveryType('default', [pay])).fetchAndLock(1, 'PT1M'))).toEqual([]);
    expect(await rig.client.get(id)).toMatchObject({ state: 'ready', failures: 1 });
  });
});
