import { checkArguments, checkFollowUp, checkNoConflict } from '../../shared/client/draft.ts';
import { defined } from '../../shared/job/defined.ts';
import { InvalidInputError, Described } from '../../shared/job/errors.ts';
import type { CancelByKey, CompleteOptions, FollowUp } from '../../shared/job/job-type.ts';
import { checkOptions, checkText } from '../../shared/job/names.ts';
import { uniqueKeyHash, keyToCancel } from '../../shared/job/unique-key.ts';
import { currentJob } from '../../shared/ports/job-scope.ts';
import type { CancelTarget } from '../../shared/store/cancel-with.ts';
import { buildJob } from '../../shared/client/enqueue.ts';
import { LIMITS } from '../../shared/job/size-limits.ts';
import { encodeResult } from '../../shared/job/verdict.ts';
import type { CompletionExtras } from '../../shared/store/complete.ts';
import { addUpWrites } from '../../shared/store/add-up-writes.ts';
import { creationWrites, type NewJob } from '../../shared/store/create.ts';
import { placeInOrder } from '../../shared/store/group-places.ts';
import { rowBytes } from '../../shared/store/row-bytes.ts';
import type { ExecutorDeps } from './deps.ts';

/** The job's own row, its key, its batch, its result, its history and its last attempt; one with a place in its group has a seventh. */
const OWN_WRITES = 6;

/**
 * Builds the additional writes of a completion; writes nothing. Runs in the job's context, so that follow-ups inherit from it. Throws typed
 * errors, which fail the attempt, if a follow-up is invalid or the writes exceed one transaction.
 */
export async function completionExtras(deps: ExecutorDeps, options: CompleteOptions): Promise<CompletionExtras> {
  const { enqueue = [], cancel = [], transact: items = [] } = options;
  const built: NewJob[] = [];
  for (const one of enqueue) built.push(await build(deps, one));
  const followUps = await placeInOrder(deps.tables, firstOfEach(built));
  const keys = new Set(followUps.flatMap(({ job }) => keyToCancel(job) ?? []));
  const cancels = cancelTargets(cancel, keys);
  const planned = addUpWrites(followUps.flatMap((fresh) => creationWrites(fresh, deps.clock.now()))).writes;
  const placeWrites = currentJob()?.groupPlace === undefined ? 0 : 1;
  const writes = planned.length + items.length + (cancels?.length ?? 0) * WRITES_OF_CANCEL + OWN_WRITES + placeWrites;
  const bytes = planned.reduce((sum, write) => sum + (write.op === 'put' ? rowBytes(write.row) : 0), 0);
  if (bytes > LIMITS.transactionBytes) {
    throw new InvalidInputError(
      'enqueue',
      new Described(`${bytes} bytes`),
      `One transaction takes ${LIMITS.transactionBytes}; use a batch for more.`,
    );
  }
  if (writes > LIMITS.transactionActions) {
    throw new InvalidInputError(
      'enqueue',
      new Described(`${writes} writes`),
      `One transaction takes ${LIMITS.transactionActions}; use a batch for more.`,
    );
  }
  const result = encodeResult(options);
  return { followUps, items, ...defined({ cancels, result }) };
}

/** If several follow-ups share a key or id, only the first is kept. One with the id of the job itself is left out. */
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
  checkFollowUp(given, 'enqueue');
  const built = await buildJob({ ...deps, beforeCreate: [] }, given.type, given.payload, given.options ?? {});
  const fresh = checkNoConflict(built, 'of a follow-up, which is created in one transaction with the completion');
  // The transaction that creates the follow-up also ends its parent, and is fenced by it: no check is needed.
  const { counted, ...uncounted } = fresh;
  return counted === undefined ? uncounted : { ...uncounted, counted: counted.filter(({ op }) => op !== 'check') };
}

/** The most that one job takes in the transaction: its row, its key, History, the count of its batch, and its place in a group. */
export const WRITES_OF_CANCEL = 5;

/**
 * The jobs that a completion cancels, each once; undefined if it names none. Runs in the context of the job, whose tenant is theirs unless they name one. Refuses a
 * key that a follow-up takes: the key is free only when the transaction is over.
 */
export function cancelTargets(given: readonly CancelByKey[], taken: ReadonlySet<string>): readonly CancelTarget[] | undefined {
  const present = currentJob();
  const targets = new Map<string, CancelTarget>();
  for (const [index, one] of given.entries()) {
    const field = `cancel.${index}`;
    checkOptions(one, ['type', 'key', 'tenant', 'reason'], field);
    checkArguments(one.type, {});
    const text = checkText(one.key, `${field}.key`);
    if (text === undefined) throw new InvalidInputError(`${field}.key`, one.key, 'Give the key that the job was enqueued with.');
    const tenant = one.tenant === undefined ? present?.tenant : checkText(one.tenant, `${field}.tenant`);
    const key = uniqueKeyHash(one.type.name, tenant, text);
    if (taken.has(key)) throw new InvalidInputError(`${field}.key`, one.key, 'A follow-up has this key too: give it another one.');
    const cancelReason = checkText(one.reason, `${field}.reason`);
    const why = defined({ cancelReason, cancelledBy: present === undefined ? undefined : `job ${present.id}` });
    if (!targets.has(key)) targets.set(key, { key, ...why });
  }
  return targets.size === 0 ? undefined : [...targets.values()];
}
