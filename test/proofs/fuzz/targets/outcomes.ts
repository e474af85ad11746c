import { defineJob } from '../../../../shared/job/job-type.ts';
import { SandboxEndedError } from '../../../../functions/executor/execute-messages.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';
import fc from 'fast-check';
import { type FuzzTarget, fuzzTarget } from '../fuzz-target.ts';
import { hostileTree, materialise } from '../hostile-values.ts';

const work = defineJob('work', { payload: anyPayload, retry: 'R2/PT1S' });

interface Ending {
  readonly how: 'throws' | 'throws it as the cause' | 'returns' | 'returns it as a verdict';
  readonly tree: unknown;
  readonly verdict: string;
}

function end({ how, tree, verdict }: Ending): unknown {
  const value = materialise(tree);
  if (how === 'throws') throw value;
  if (how === 'throws it as the cause') throw new Error('outer', { cause: value });
  return how === 'returns' ? value : { verdict, delayMs: value, reason: value, retry: true, retryAfterMs: value };
}

function expectSandboxEnd(error: unknown): void {
  if (!(error instanceof SandboxEndedError)) throw error;
}

/** Any value that a handler throws or returns: the attempt is recorded, and no job looks as if its process had died. */
export const outcomes: FuzzTarget = fuzzTarget({
  name: 'outcomes',
  shortRuns: 80,
  longestMs: 3_000,
  input: () =>
    fc.record({
      how: fc.constantFrom<Ending['how']>('throws', 'throws it as the cause', 'returns', 'returns it as a verdict'),
      tree: hostileTree({ traps: true }),
      verdict: fc.constantFrom('complete', 'snooze', 'fail', 'other'),
    }),
  async check(ending) {
    const rig = new Rig({ handlers: [work.handle(() => end(ending) as never)] });
    await rig.client.enqueue(work, {});
    // A promise that never settles is aborted when its time is over, and ends its sandbox.
    await rig.until(rig.deliver(), 10_000).catch(expectSandboxEnd);
    const failed = rig.journal.entries.find(({ event }) => event === 'store-failed');
    if (failed !== undefined) throw new Error(`The attempt was not recorded: ${failed.error?.message ?? failed.reason}`);
    const [row] = await rig.rows('jobs');
    if (row !== undefined && !String(row['lockOwner']).startsWith('queue/'))
      throw new Error(`The job is left to ${String(row['lockOwner'])}.`);
  },
});
