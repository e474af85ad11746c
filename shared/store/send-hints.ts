import { hintFor } from '../job/hint.ts';
import type { LeasedJob } from '../job/job.ts';
import type { HintSender } from '../ports/hints.ts';
import type { Journal } from '../ports/journal.ts';

/** What a send after a commit needs. */
export interface SendDeps {
  readonly hints: HintSender;
  readonly journal: Journal;
}

/** Sends the hints of jobs that were just made ready. A failure is journalled and left to the sweeper, never an error. */
export async function sendHints(deps: SendDeps, jobs: readonly LeasedJob[], now: number): Promise<void> {
  if (jobs.length === 0) return;
  const failed = await deps.hints.send(jobs.map((job) => hintFor(job, now)));
  for (const hint of failed) deps.journal.record({ event: 'send-failed', worker: hint.worker });
}
