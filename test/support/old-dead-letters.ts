import { sweep } from '../../functions/sweeper/sweep.ts';
import type { SweeperDeps } from '../../functions/sweeper/deps.ts';
import { createAdminOver } from '../../operate/admin.ts';
import { brokenStage, type DeadLetterStage, other, work } from './dead-letters.ts';
import type { Rig } from './rig.ts';

const DAY = 86_400_000;
const PAUSE = 11 * 60_000;

/** Dead letters that failed 40 days ago and just now. */
export interface OldStage extends DeadLetterStage {
  /** One of `work`, 40 days old. */
  readonly old: readonly string[];
  /** Two of `work`. */
  readonly young: readonly string[];
  /** One of `other`, 40 days old. */
  readonly others: readonly string[];
}

/** A rig with them, and settings of its own. */
export async function oldDeadLetters(settings: Readonly<Record<string, number>> = {}): Promise<OldStage> {
  const made = brokenStage(settings);
  const { rig } = made;
  const one = await rig.client.enqueue(work, {});
  const another = await rig.client.enqueue(other, {});
  await rig.drain();
  await rig.clock.advance(40 * DAY);
  const fresh = await rig.client.enqueueMany(work, [{}, {}]);
  await rig.drain();
  const young = fresh.ids.flatMap((id) => id ?? []).toSorted();
  return { ...made, admin: createAdminOver(rig.deps), old: [one.id], young, others: [another.id] };
}

/** A run of the sweeper after the rest between two passes. */
export async function sweepAgain(rig: Rig): Promise<void> {
  await rig.clock.advance(PAUSE);
  await rig.sweep();
}

/** The same with other parts. */
export async function sweepOver(rig: Rig, parts: Partial<SweeperDeps>, ms = 60_000): Promise<void> {
  await rig.clock.advance(PAUSE);
  await sweep({ ...rig.deps, backlog: rig.hints, ...parts }, { deadlineAt: rig.clock.now() + ms, requestId: 'tick' });
}
