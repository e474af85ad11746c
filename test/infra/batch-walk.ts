import type { JobClient } from '../../shared/client/job-client.ts';
import { followUp } from '../../shared/job/follow-up.ts';
import type { JobType } from '../../shared/job/job-type.ts';
import { sealBatchRow } from '../../shared/features/batches/store/create-batch.ts';
import type { Rig } from '../support/rig.ts';

/** A place where each function calls the tables under its own role. */
export interface BatchStage {
  readonly rig: Rig;
  readonly client: JobClient;
  readonly canceller: JobClient;
  readonly drain: () => Promise<void>;
  readonly sweep: () => Promise<unknown>;
}

type Work = JobType<Record<string, unknown>, Record<string, unknown>>;

/** Everything that batches make the functions do: callbacks told by a child's executor, by who seals, and by the sweeper. */
export async function walkBatches({ rig, client, canceller, drain, sweep }: BatchStage, work: Work): Promise<void> {
  const onCompleted = followUp(work, {});
  const { id } = await client.enqueueBatch(work, [{}, { do: 'fail' }], { onCompleted, onFailed: onCompleted, onSucceeded: onCompleted });
  await drain();
  const progress = await client.batch(id);
  if (progress?.state !== 'finished') throw new Error('The batch did not end: the walk has a gap.');
  const sealedLate = await client.createBatch({ onCompleted });
  await sealedLate.enqueue(work, {}, { key: 'in-batch' });
  await client.createBatch({ parent: sealedLate.id }).then((inner) => inner.seal());
  await drain();
  await sealedLate.seal();
  // Nobody tells of this one but the sweeper: its only child ends before it is sealed, and the sealer dies.
  const left = await client.createBatch({ onCompleted });
  await left.enqueue(work, {});
  const cancelled = await canceller.enqueueBatch(work, [{}], {});
  await canceller.cancelBatch(cancelled.id);
  await drain();
  await sealBatchRow(rig.tables, left.id, rig.clock.now());
  await sweep();
}
