/** A second executor with queues of its own, whose jobs share their groups with those of the first. */
import { createExecutorWithLedger } from './executor-with-ledger.ts';
import { groupedElsewhere, overlongInGroup } from './jobs.ts';

export const handler = createExecutorWithLedger([
  groupedElsewhere.handle(({ payload }) => new Promise((resolve) => setTimeout(resolve, payload.ms))),
  overlongInGroup.handle(({ job }) => (job.attempt === 1 ? new Promise(() => {}) : undefined)),
]);
