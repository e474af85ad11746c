import type { Step } from '../simulation/check/job-tracker.ts';
import type { World } from '../simulation/world/world.ts';

/** When something happened to a job, in true time. */
export interface Moment {
  readonly id: string;
  readonly at: number;
  readonly verb: Step['verb'];
  /** When the job was due. */
  readonly dueAt: number;
}

/** Notes every step of every job of a world from now on. */
export function momentsOf(world: World): readonly Moment[] {
  const moments: Moment[] = [];
  world.checks.tracker.watch(({ entry, verb, after, before }) => {
    const dueAt = Date.parse(String((after ?? before)?.['dueAt']));
    moments.push({ id: entry.id, at: world.time.now, verb, dueAt });
  });
  return moments;
}

/** The value that this share of all is not above; 0 of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
