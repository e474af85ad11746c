import { checkArguments } from '../../../shared/client/draft.ts';
import { defined } from '../../../shared/job/defined.ts';
import { InvalidInputError } from '../../../shared/job/errors.ts';
import type { CancelByKey } from '../../../shared/job/job-type.ts';
import { checkOptions, checkText } from '../../../shared/job/names.ts';
import { uniqueKeyHash } from '../../../shared/job/unique-key.ts';
import { currentJob } from '../../../shared/ports/job-scope.ts';
import type { CancelTarget } from '../../../shared/store/cancel-with.ts';

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
