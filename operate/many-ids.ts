import { InvalidInputError } from '../shared/job/errors.ts';
import { checkJobId } from '../shared/job/job-id.ts';
import { mapLimited } from '../shared/job/map-limited.ts';
import { checkTries } from './verbs/check-tries.ts';
import { checkRedrive, type RedriveOptions, type RedriveOutcome, type RedriveVerb } from './verbs/redrive.ts';
import { checkDue, type DueOptions, type SetDueDateOutcome, type SetDueDateVerb } from './verbs/set-due-date.ts';
import type { SetRetriesOutcome, SetRetriesVerb } from './verbs/set-retries.ts';

/** Outcomes by id; `failed` holds the ids whose outcome is unknown, with the error. */
export interface BulkOutcomes<Outcome> {
  readonly outcomes: ReadonlyMap<string, Outcome>;
  readonly failed: readonly { readonly id: string; readonly error: Error }[];
}

/** The verbs that give jobs another try, or another time for it, for each of many ids. */
export interface ManyIdsVerbs {
  redriveMany(ids: readonly string[], options?: RedriveOptions): Promise<BulkOutcomes<RedriveOutcome>>;
  setRetriesMany(ids: readonly string[], more: number): Promise<BulkOutcomes<SetRetriesOutcome>>;
  setDueDateMany(ids: readonly string[], when: DueOptions): Promise<BulkOutcomes<SetDueDateOutcome>>;
}

const PARALLEL = 8;

/** Creates the verbs from those for one job, so that an audit entry that is not taken fails one id and not the report of all. */
export function manyIdsVerbs(one: RedriveVerb & SetRetriesVerb & SetDueDateVerb): ManyIdsVerbs {
  return {
    async redriveMany(ids, options = {}) {
      checkRedrive(options);
      return forEachId(ids, async (id) => one.redrive(id, options));
    },
    async setRetriesMany(ids, more) {
      checkTries(more, 'retries');
      return forEachId(ids, async (id) => one.setRetries(id, more));
    },
    async setDueDateMany(ids, when) {
      checkDue(when);
      return forEachId(ids, async (id) => one.setDueDate(id, when));
    },
  };
}

/** The same for each of many ids, a few at a time. One that fails does not stop the others. Throws for arguments that no id could pass with. */
async function forEachId<Outcome>(ids: readonly string[], act: (id: string) => Promise<Outcome>): Promise<BulkOutcomes<Outcome>> {
  if (!Array.isArray(ids)) throw new InvalidInputError('ids', ids, 'Give an array of job ids.');
  for (const [index, id] of (ids as readonly unknown[]).entries()) checkJobId(id, `ids[${index}]`);
  const outcomes = new Map<string, Outcome>();
  const failed: { id: string; error: Error }[] = [];
  await mapLimited([...new Set(ids)], PARALLEL, async (id) => {
    try {
      outcomes.set(id, await act(id));
    } catch (error) {
      failed.push({ id, error: error instanceof Error ? error : new Error(String(error)) });
    }
  });
  return { outcomes, failed };
}
