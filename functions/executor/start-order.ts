import { dueAtOf } from '../../shared/core/job-id.ts';
import type { Track } from './receive.ts';

/**
 * The order in which the jobs of a batch start: the more urgent first, then the one that was first due earlier, then as they were
 * received. The jobs of a group stay in the order of their queue, and the first of them says when they start.
 */
export function inStartOrder(tracks: readonly Track[]): readonly Track[] {
  return tracks.toSorted((a, b) => urgency(b) - urgency(a) || firstDue(a) - firstDue(b));
}

function urgency({ deliveries: [first] }: Track): number {
  return first?.hint.p ?? 0;
}

function firstDue({ deliveries: [first] }: Track): number {
  return first === undefined ? 0 : dueAtOf(first.hint.id);
}
