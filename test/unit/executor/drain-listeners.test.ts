import { expect, it } from 'vitest';
import { openInvocation, drainListeners } from '../../../functions/executor/invocation.ts';
import { Rig } from '../../support/rig.ts';

const SECOND = 1_000;

it.each([
  ['waits for a listener that takes a moment', 2 * SECOND, 60 * SECOND, 2 * SECOND],
  ['waits no longer than three seconds', 20 * SECOND, 60 * SECOND, 3 * SECOND],
  ['is over a second before it must answer', 20 * SECOND, 3 * SECOND, 2 * SECOND],
  ['waits for nobody when it must answer at once', 20 * SECOND, SECOND / 2, 0],
])('an invocation %s', async (_, listenMs, leftMs, tookMs) => {
  const rig = new Rig();
  const begun = rig.clock.now();
  const invocation = openInvocation(rig.deps, { requestId: 'r', deadlineAt: begun + leftMs });
  invocation.pending?.push(rig.clock.wait(listenMs));
  await rig.until(drainListeners(invocation));
  expect(rig.clock.now() - begun).toBe(tookMs);
  // What is left is the listener's own.
  expect(rig.clock.pending).toEqual(listenMs > tookMs ? [begun + listenMs] : []);
});
