import { checkArguments } from '../../shared/client/draft.ts';
import { buildJob } from '../../shared/client/enqueue.ts';
import { defined } from '../../shared/core/defined.ts';
import { Described, InvalidInputError } from '../../shared/core/errors.ts';
import { LIMITS } from '../../shared/core/limits.ts';
import { keyToCancel } from '../../shared/core/unique-key.ts';
import { encodeResult } from '../../shared/core/verdict.ts';
import type { CompleteOptions, FollowUp } from '../../shared/core/job-type.ts';
import { currentJob } from '../../shared/ports/job-scope.ts';
import type { CompletionExtras } from '../../shared/store/complete.ts';
import { addUpWrites } from '../../shared/store/add-up-writes.ts';
import { creationWrites, type NewJob } from '../../shared/store/create.ts';
import { rowBytes } from '../../shared/store/row-bytes.ts';
import type { ExecutorDeps } from './deps.ts';

/** The job's own row, its key, its batch, its result, its history and its last attempt. */
const OWN_WRITES = 6;

/**
 * Builds what a completion brings along; nothing is written. Runs as part of the job, so that follow-ups inherit from it. Throws typed
 * errors, which fail the attempt: a follow-up that is not valid, or more than one transaction takes.
 */
export async function completionExtras(deps: ExecutorDeps, options: CompleteOptions): Promise<CompletionExtras> {
  const { enqueue = [], transact: items = [] } = options;
  const built: NewJob[] = [];
  for (const one of enqueue) built.push(await build(deps, one));
  const followUps = firstOfEach(built);
  const planned = addUpWrites(followUps.flatMap((fresh) => creationWrites(fresh, deps.clock.now()))).writes;
  const writes = planned.length + items.length + OWN_WRITES;
  const bytes = planned.reduce((sum, write) => sum + (write.op === 'put' ? rowBytes(write.row) : 0), 0);
  if (bytes > LIMITS.transactionBytes) {
    throw new InvalidInputError(
      'enqueue',
      new Described(`${bytes} bytes`),
      `One transaction takes ${LIMITS.transactionBytes}; for more make a batch.`,
    );
  }
  if (writes > LIMITS.transactionActions) {
    throw new InvalidInputError(
      'enqueue',
      new Described(`${writes} writes`),
      `One transaction takes ${LIMITS.transactionActions}; for more make a batch.`,
    );
  }
  const result = encodeResult(options);
  return { followUps, items, ...defined({ result }) };
}

/** Of several with one key or own id, and of those with the id of the job itself, none but the first can exist: the others are left out. */
function firstOfEach(built: readonly NewJob[]): readonly NewJob[] {
  const taken = new Set<string>([`id/${currentJob()?.id ?? ''}`]);
  return built.filter(({ job }) => {
    const key = keyToCancel(job);
    const names = [`id/${job.id}`, ...(key === undefined ? [] : [`key/${key}`])];
    if (names.some((name) => taken.has(name))) return false;
    for (const name of names) taken.add(name);
    return true;
  });
}

async function build(deps: ExecutorDeps, given: FollowUp): Promise<NewJob> {
  checkArguments(given?.type, given?.options ?? {});
  const fresh = await buildJob({ ...deps, beforeCreate: deps.beforeCreate ?? [] }, given.type, given.payload, given.options ?? {});
  // The very transaction that creates it ends the job that would be checked, and is fenced by it.
  const { counted, ...uncounted } = fresh;
  return counted === undefined ? uncounted : { ...uncounted, counted: counted.filter(({ op }) => op !== 'check') };
}
