import { defined } from '../../shared/job/defined.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { storedInstant } from '../../shared/job/instant.ts';
import { isJobId, type JobId } from '../../shared/job/job-id.ts';
import { mapLimited } from '../../shared/job/map-limited.ts';
import { checkChosen, checkOptions, checkText, checkTypeName } from '../../shared/job/names.ts';
import { uniqueKeyHash } from '../../shared/job/unique-key.ts';
import { uniqueKeyKey } from '../../shared/store/control-rows.ts';
import type { AdminDeps } from '../admin-deps.ts';
import { typeVerbs } from '../read-type-list.ts';
import type { JobView } from './job-view.ts';
import type { FindByKeyOptions, FoundByKey, HeldKey, ReadVerbs } from './read-verbs.ts';

type KeyDeps = Pick<AdminDeps, 'tables' | 'clock' | 'deployment' | 'jobTypes'>;
type FindJob = ReadVerbs['find'];

const PARALLEL = 16;
const MAX_LOOKS = 3;

/** Finds the jobs that hold a unique key: one read for each type, and `find` for each key that is held. */
export async function findByKey(deps: KeyDeps, find: FindJob, key: string, options: FindByKeyOptions = {}): Promise<FoundByKey> {
  checkOptions(options, ['type', 'tenant'], 'options');
  const text = checkText(key, 'key');
  if (text === undefined) throw new InvalidInputError('key', key, 'Give the key that the job was enqueued with.');
  const tenant = checkChosen(options.tenant, 'tenant');
  const types = options.type === undefined ? await knownTypes(deps) : [checkTypeName(options.type)];
  const held = await mapLimited(types, PARALLEL, async (type): Promise<readonly HeldKey[]> => {
    const holder = await holderOf(deps, find, uniqueKeyHash(type, tenant, text));
    return holder === undefined ? [] : [{ type, ...defined({ tenant }), ...holder }];
  });
  return { held: held.flat(), types };
}

/** A key is stored as a hash that includes its type, so that each type is asked for by its name. */
async function knownTypes(deps: KeyDeps): Promise<readonly string[]> {
  const { types } = await typeVerbs(deps).types();
  return [...new Set([...types.map(({ type }) => type), ...(deps.jobTypes?.keys() ?? [])])].toSorted();
}

/** The job that holds a key now. A job that ends between two reads frees its key, which another may have taken by then. */
async function holderOf({ tables, clock }: KeyDeps, find: FindJob, hash: string): Promise<Omit<HeldKey, 'type' | 'tenant'> | undefined> {
  let seen: JobId | undefined;
  for (let look = 1; ; look++) {
    const row = await tables.get('control', uniqueKeyKey(hash));
    const [id, until] = [row?.['jobId'], storedInstant(row?.['until'])];
    if (!isJobId(id) || (until !== undefined && until <= clock.now())) return undefined;
    const job = await find(id);
    if (until !== undefined) return { id, until: new Date(until), ...defined({ job }) };
    if (!hasEnded(job) || id === seen || look === MAX_LOOKS) return { id, ...defined({ job }) };
    seen = id;
  }
}

function hasEnded(job: JobView | undefined): boolean {
  return job === undefined || job.state === 'finished' || job.state === 'dead';
}
