import { describe, expect, it } from 'vitest';
import { seededEntropy } from '../../../../shared/adapters/memory/seeded-entropy.ts';
import { quietPlan } from '../faults/fault-plan.ts';
import { World } from '../world/world.ts';
import { AnswerInvariants } from './answer-invariants.ts';

const DEADLINE_MS = 1_000;
const THAW_MS = 5_000;

interface Read {
  readonly frozenFirst: boolean;
  readonly thawMs: number;
  readonly endsMs: number;
}

/** What is untrue of a read in a process that freezes right before it or right after it began. */
async function untrueOf({ frozenFirst, thawMs, endsMs }: Read): Promise<readonly string[]> {
  const world = new World({ seed: 1, plan: quietPlan(seededEntropy(1)) });
  const process = world.process('acquirer', 'acquirer');
  const deadlineAt = process.clock.now() + DEADLINE_MS;
  const untrue: string[] = [];
  if (frozenFirst) process.freeze('pause');
  const invariants = new AnswerInvariants(process, { op: 'read', notAfter: undefined, deadlineAt: () => deadlineAt }, (what) =>
    untrue.push(what),
  );
  if (!frozenFirst) process.freeze('pause');
  world.time.after(thawMs, () => process.thaw('pause'));
  process.deliver(endsMs, () => invariants.ended());
  await world.time.runUntil(world.time.now + 2 * THAW_MS);
  return untrue;
}

const LATE = [expect.stringContaining('it ends after the deadline')];

describe.each([{ frozenFirst: true }, { frozenFirst: false }])(
  'the invariants of answers, frozen before the read: $frozenFirst',
  (read) => {
    it('lets a read end at the thaw after its deadline', async () => {
      expect(await untrueOf({ ...read, thawMs: THAW_MS, endsMs: DEADLINE_MS })).toEqual([]);
    });

    it('calls a read late that goes on after the thaw', async () => {
      expect(await untrueOf({ ...read, thawMs: THAW_MS, endsMs: THAW_MS + 100 })).toEqual(LATE);
    });

    it('calls a read late whose process thawed before the deadline', async () => {
      expect(await untrueOf({ ...read, thawMs: DEADLINE_MS / 2, endsMs: DEADLINE_MS + 100 })).toEqual(LATE);
    });
  },
);
