import { checkArguments } from '../client/draft.ts';
import { buildJob } from '../client/enqueue.ts';
import type { FollowUp } from '../core/enqueue-options.ts';
import { InvalidInputError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { type CompleteOptions, encodeResult } from '../core/verdict.ts';
import type { Along } from '../store/complete.ts';
import { creationWrites, type NewJob } from '../store/create.ts';
import type { ExecutorParts } from './parts.ts';

/** The job's own row, its key, its batch, its result and its history. */
const OWN_WRITES = 5;

/**
 * Builds what a completion brings along; nothing is written. Runs as part of the job, so that follow-ups inherit from it. Throws typed
 * errors, which fail the attempt: a follow-up that is not valid, or more than one transaction takes.
 */
export async function takeAlong(parts: ExecutorParts, options: CompleteOptions): Promise<Along> {
  const { enqueue = [], transact: items = [] } = options;
  const followUps: NewJob[] = [];
  for (const one of enqueue) followUps.push(await build(parts, one));
  const writes = followUps.reduce((sum, fresh) => sum + creationWrites(fresh, parts.clock.now()).length, OWN_WRITES + items.length);
  if (writes > LIMITS.transactionActions) {
    throw new InvalidInputError(
      'enqueue',
      `${writes} writes`,
      `One transaction takes ${LIMITS.transactionActions}; for more make a batch.`,
    );
  }
  const result = encodeResult(options);
  return { followUps, items, ...(result === undefined ? {} : { result }) };
}

async function build(parts: ExecutorParts, given: FollowUp): Promise<NewJob> {
  checkArguments(given?.type, given?.options ?? {});
  return buildJob({ ...parts, beforeCreate: parts.beforeCreate ?? [] }, given.type, given.payload, given.options ?? {});
}
