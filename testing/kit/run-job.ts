import { InvalidInputError, shown } from '../../shared/job/errors.ts';
import { encodeHint, hintFor } from '../../shared/job/hint.ts';
import type { JobClient } from '../../shared/client/job-client.ts';
import { checkJobId } from '../../shared/job/job-id.ts';
import { locate } from '../../shared/store/locate.ts';
import { execute } from './deliver.ts';
import type { JobRun } from './kit-runs.ts';
import type { KitWorld } from './kit-world.ts';

/**
 * Runs one job now through the executor, regardless of its due time: the handler's outcome is recorded as in production. Throws
 * InvalidInputError for a job that is not waiting or ready, or that the kit has no handler for.
 */
export async function runOne(world: KitWorld, client: JobClient, id: string): Promise<JobRun> {
  const found = await locate(world.tables, checkJobId(id));
  if (found === undefined) throw new InvalidInputError('id', id, 'No job of the kit has this id.');
  if (!world.handlers.has(found.job.type)) {
    throw new InvalidInputError('id', id, `Give createTestKit a handler for ${shown(found.job.type)}.`);
  }
  if (found.state !== 'waiting' && found.state !== 'ready') {
    throw new InvalidInputError('id', id, `The job is ${found.state}. Only one that waits or is ready can be run.`);
  }
  const isEarly = found.state === 'waiting' || found.job.dueAt > world.clock.now();
  if (isEarly && (await client.reschedule(id, { delay: 0 })) === 'occurrence') {
    throw new InvalidInputError('id', id, 'It is the next occurrence of a schedule: call kit.advance until it is due.');
  }
  const ready = await locate(world.tables, id);
  if (ready?.state !== 'ready') throw new InvalidInputError('id', id, `The job is ${ready?.state ?? 'gone'}, another run was faster.`);
  const { job } = ready;
  const hint = hintFor(job, world.clock.now());
  const before = world.journal.runs.length;
  await execute(world, job.worker, [
    {
      messageId: `run-${world.nextRequestId()}`,
      receiptHandle: '',
      body: encodeHint(hint, false),
      queue: { worker: job.worker, lane: job.lane, kind: hint.groupHash === undefined ? 'standard' : 'fifo' },
      receiveCount: 1,
    },
  ]);
  const run = world.journal.runs.slice(before).findLast((one) => one.id === id);
  return run ?? { id, type: job.type, outcome: 'lost', attempt: job.starts };
}
