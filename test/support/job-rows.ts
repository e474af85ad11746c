import { makeJobId } from '../../shared/job/job-id.ts';
import { seededEntropy } from '../../shared/adapters/memory/seeded-entropy.ts';

/** A job id due at the given time, other than every id of another seed. */
export function idOf(seed: number, dueAt = Date.UTC(2026, 0, 1)): string {
  return makeJobId(dueAt, seededEntropy(seed).bytes(10));
}
