import { expect, test } from 'vitest';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { fail } from '../../../../shared/job/verdict.ts';
import { SandboxEndedError } from '../../../../functions/executor/execute-messages.ts';
import { startOutside } from '../../../support/outside-worker.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';
import { summingRig } from '../../../support/summing-rig.ts';

const pay = defineJob('pay', { payload: anyPayload, retry: 'never' });
const hang = defineJob('hang', { payload: anyPayload, retry: 'never', timeout: 'PT1S' });
const handlers = [pay.handle(() => fail('no')), hang.handle(async () => new Promise<void>(() => {}))];

test('a sandbox that ends because a handler outlived its attempt writes what it summed up before', async () => {
  const { rig, drain, groups, freshSandbox } = summingRig({ handlers });
  await rig.client.enqueueMany(pay, [{}, {}]);
  await drain();
  await rig.clock.advance(1_000);
  await rig.client.enqueueMany(
    pay,
    Array.from({ length: 8 }, () => ({})),
  );
  await drain();
  await rig.client.enqueue(hang, {});
  await rig.until(
    drain().catch((error: unknown) => expect(error).toBeInstanceOf(SandboxEndedError)),
    500,
  );
  expect(rig.sandboxEnds).toBe(1);
  freshSandbox();
  expect(Object.fromEntries((await groups()).map(({ type, seen }) => [type, seen]))).toEqual({ hang: 1, pay: 10 });
});

test.each(['stopped', 'ended by a handler that outlived its attempt'])(
  'a worker outside Lambda that is %s writes all its sums',
  async (how) => {
    const rig = new Rig({ handlers });
    const flushed: (boolean | undefined)[] = [];
    const worker = startOutside(rig, {}, { ...rig.deps, flushEvents: async (all) => void flushed.push(all) });
    await rig.client.enqueue(how === 'stopped' ? pay : hang, {});
    await rig.clock.advance(30_000);
    if (how === 'stopped') worker.stop();
    await rig.until(
      worker.ended.catch((error: unknown) => expect(error).toBeInstanceOf(SandboxEndedError)),
      500,
    );
    expect(flushed.at(-1)).toBe(true);
  },
);
