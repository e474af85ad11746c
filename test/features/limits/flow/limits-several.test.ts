import { expect, it } from 'vitest';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { defineLimit } from '../../../../shared/job/limit.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';

const QUEUE = { worker: 'default', lane: 'default', kind: 'standard' } as const;
const first = defineLimit('a', { concurrency: 1 });
const second = defineLimit('b', { concurrency: 1 });
const onlyFirst = defineJob('only-first', { payload: anyPayload, limits: [first] });
const onlySecond = defineJob('only-second', { payload: anyPayload, limits: [second] });
const both = defineJob('both', { payload: anyPayload, limits: [first, second] });

it('a job that was handed a slot and waits for another limit gives the slot to the next who needs no more than that', async () => {
  const ends = new Map<string, () => void>();
  const run = (name: string) => new Promise<void>((resolve) => ends.set(name, resolve)).finally(() => ends.delete(name));
  const rig = new Rig({
    handlers: [onlyFirst, onlySecond, both].map((type) => type.handle(({ payload }) => run(String(payload['name'])))),
  });
  const deliver = async (): Promise<void> => {
    for (let messages = rig.hints.receive(QUEUE, 1); messages.length > 0; messages = rig.hints.receive(QUEUE, 1)) {
      void rig.execute(messages).catch(() => undefined);
      await rig.settle();
    }
  };
  const add = async (type: typeof both, name: string): Promise<void> => {
    await rig.client.enqueue(type, { name });
    await deliver();
    await rig.clock.advance(1);
  };
  await add(onlySecond, 's1');
  await add(both, 'waits for b');
  await add(onlySecond, 's2');
  await add(onlyFirst, 'f1');
  expect([...ends.keys()]).toEqual(['s1', 'f1']);
  ends.get('s1')?.();
  await rig.settle();
  await deliver();
  expect([...ends.keys()]).toEqual(['f1', 's2']);
  ends.get('f1')?.();
  ends.get('s2')?.();
  await rig.settle();
  await deliver();
  expect([...ends.keys()]).toEqual(['waits for b']);
  ends.get('waits for b')?.();
  await rig.settle();
  expect((await rig.rows('control')).filter(({ sk }) => String(sk).startsWith('slot#'))).toEqual([]);
});
