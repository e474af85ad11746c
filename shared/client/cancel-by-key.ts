import { InvalidInputError } from '../job/errors.ts';
import { isJobId, type JobId } from '../job/job-id.ts';
import type { AnyJobType } from '../job/job-type.ts';
import { checkText } from '../job/names.ts';
import { uniqueKeyHash } from '../job/unique-key.ts';
import { currentJob } from '../ports/job-scope.ts';
import { uniqueKeyKey } from '../store/control-rows.ts';
import { type CancelAnswer, cancelJob, type CancelOptions, checkCancelOptions } from './cancel-job.ts';
import { checkArguments } from './draft.ts';
import type { ClientDeps } from './client-deps.ts';
import { checkTenant } from './tenant-view.ts';

/** Options of a cancel by key. */
export interface CancelByKeyOptions extends CancelOptions {
  /** The tenant of the job that holds the key. Default: as for `enqueue`. */
  readonly tenant?: string;
}

/** What a cancel by key came to; without an id no job holds the key. */
export interface CancelledByKey {
  readonly outcome: CancelAnswer;
  readonly id?: string;
}

const MAX_LOOKS = 3;

/**
 * Cancels the job that holds a unique key: a read of the key before and after each look at the job. If another job has taken the key by then, the
 * cancel follows the key.
 */
export async function cancelByKey(
  deps: ClientDeps,
  type: AnyJobType,
  key: string,
  options: CancelByKeyOptions = {},
): Promise<CancelledByKey> {
  checkArguments(type, {});
  checkCancelOptions(options, ['tenant']);
  const { tenant: given, ...rest } = options;
  const text = checkText(key, 'key');
  if (text === undefined) throw new InvalidInputError('key', key, 'Give the key that the job was enqueued with.');
  const tenant = given === undefined ? (deps.tenant ?? currentJob()?.tenant) : checkTenant(given, deps.tenant);
  const hash = uniqueKeyHash(type.name, tenant, text);
  let last: CancelledByKey = { outcome: 'not-found' };
  for (let look = 0; look < MAX_LOOKS; look++) {
    const id = await holderOf(deps, hash);
    if (id === undefined && last.outcome === 'not-found') return { outcome: 'not-found' };
    if (id === undefined || id === last.id) return last;
    const stillHolds = async (): Promise<boolean> => (await holderOf(deps, hash)) === id;
    last = { outcome: await cancelJob(deps, id, rest, stillHolds), id };
    if (last.outcome !== 'finished' && last.outcome !== 'not-found') return last;
  }
  return last;
}

async function holderOf({ tables }: ClientDeps, hash: string): Promise<JobId | undefined> {
  const jobId = (await tables.get('control', uniqueKeyKey(hash)))?.['jobId'];
  return isJobId(jobId) ? jobId : undefined;
}
