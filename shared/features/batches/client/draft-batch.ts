import { InvalidInputError } from '../../../job/errors.ts';
import type { Job } from '../../../job/job.ts';
import { checkText } from '../../../job/names.ts';
import type { JobScope } from '../../../ports/job-scope.ts';
import type { Write } from '../../../ports/tables.ts';
import { heldBy } from '../../../store/conditions.ts';
import { batchLeafKey } from '../../../store/control-rows.ts';
import { idKey } from '../../../store/rows.ts';

/** How a job joins the batch of the job that enqueues it. */
export interface Joining {
  readonly fields: Pick<Job, 'batch' | 'batchLeaf'>;
  readonly counted?: readonly Write[];
}

/**
 * The batch counts the job in the leaf of the one that enqueues it, if that one is still held by this run: while it is, the batch
 * cannot have ended. Only a job of the batch itself can do that, so any other batch is refused.
 */
export function joinBatch(given: string | undefined, parent: JobScope | undefined): Joining {
  const batch = checkText(given, 'batch');
  if (batch === undefined) return { fields: {} };
  if (parent === undefined || parent.lockOwner === undefined || parent.batch !== batch) {
    throw new InvalidInputError(
      'batch',
      batch,
      "Only a handler's job may add to a batch, and only to its own (job.batch). From outside use the builder of createBatch, before seal().",
    );
  }
  const leaf = parent.batchLeaf ?? 0;
  return {
    fields: { batch, batchLeaf: leaf },
    counted: [
      { op: 'check', table: 'jobs', key: idKey(parent.id), condition: heldBy(parent.lockOwner) },
      { op: 'update', table: 'control', key: batchLeafKey(batch, leaf), set: {}, add: { total: 1 } },
    ],
  };
}
