import { decodeHint, type HintBody } from '../../../../shared/job/hint.ts';
import type { ReceivedHint } from '../../../../shared/ports/hints.ts';
import type { JobTracker, Step } from './job-tracker.ts';
import type { Violations } from './violations.ts';

/** The lanes of the simulated worker `default`, in words of their own: what production decides is held against them. */
export const LANES = { urgentFrom: 5, names: ['urgent', 'default', 'timers'] } as const;

/** Each job goes to the one lane that takes it, and its messages come from the queue of that lane. */
export class LaneInvariants {
  readonly #violations: Violations;
  readonly #tracker: JobTracker;

  constructor(violations: Violations, tracker: JobTracker) {
    this.#violations = violations;
    this.#tracker = tracker;
  }

  see({ entry: { id }, from, after }: Step): void {
    if (from !== 'none' || after === undefined || after['worker'] !== 'default') return;
    const urgent = Number(after['priority']) >= LANES.urgentFrom;
    const lane = after['kind'] === 'timer' ? 'timers' : urgent ? 'urgent' : 'default';
    if (after['lane'] !== lane)
      this.#violations.add('right-lane', `${id} of priority ${after['priority']} is in ${after['lane']}, not ${lane}`);
  }

  /**
   * A batch as an executor receives it. An older message than the newest may be where the job was before, and
   * one that is not in Jobs may have been given another lane without a message.
   */
  received(messages: readonly ReceivedHint[]): void {
    for (const { body, queue } of messages) {
      const hint = readHint(body);
      if (hint === undefined || queue.kind === 'fifo') continue;
      const { state, row = {} } = this.#tracker.jobs.get(hint.id) ?? {};
      if ((state !== 'ready' && state !== 'running') || row['dispatches'] !== hint.n) continue;
      if (row['lane'] !== queue.lane)
        this.#violations.add('right-lane', `${hint.id} of lane ${row['lane']} came from the queue of ${queue.lane}`);
    }
  }
}

function readHint(body: string): HintBody | undefined {
  try {
    return decodeHint(body);
  } catch {
    return undefined;
  }
}
