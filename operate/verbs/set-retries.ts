import { checkJobId } from '../../shared/job/job-id.ts';
import { jobRef } from '../../shared/ports/journal.ts';
import { setRetries as setRowRetries, type TriesSet } from '../../shared/store/set-retries.ts';
import type { AdminDeps } from '../admin-deps.ts';
import { auditAfter } from '../audit-after.ts';
import { waitForPutWindow } from '../wait-for-put-window.ts';
import { checkTries } from './check-tries.ts';
import { ofTenant } from './of-tenant.ts';
import { orRedrive, redriveJob, type RedriveOutcome, redrivenOr } from './redrive.ts';
import type { JobVerb } from './verb.ts';
import { plural } from '../../shared/job/plural.ts';

/** What became of `setRetries`: `set`, or for a dead letter what its redrive answered. */
export type SetRetriesOutcome = Exclude<TriesSet['outcome'], 'dead'> | RedriveOutcome;

/** The verb for one job. */
export interface SetRetriesVerb {
  /**
   * Gives a job `more` tries from now on instead of those left by its policy, in any state; a running attempt that fails is
   * judged by it already. A dead letter is redriven with that many.
   */
  setRetries(id: string, more: number): Promise<SetRetriesOutcome>;
}

/** What to do to each job in bulk. */
export interface SetRetriesAction {
  readonly verb: 'set-retries';
  readonly retries: number;
}

const done = ['set', 'redriven'] as const;

/** Gives jobs more tries. */
export const setRetries: JobVerb<SetRetriesAction, SetRetriesVerb> = {
  name: 'set-retries',
  method: 'setRetries',
  acts: ['waiting', 'parked', 'suspended', 'ready', 'running', 'dead'],
  arguments: [
    {
      field: 'retries',
      kind: 'whole',
      required: true,
      flag: { flags: '--retries <n>', doc: 'tries from now on' },
      asked: {
        one: { name: 'retries', label: 'Tries', kind: 'number', required: true, value: '3' },
        many: { name: 'retries', label: 'More tries', kind: 'number', required: true },
      },
      sample: 1,
    },
  ],
  done,
  repeated: (_, states) => redrivenOr(['finished', 'not-found', 'dead', 'changed'], states),
  command: {
    summary: 'sets how many tries jobs get from now on; a dead letter is redriven with them',
    past: 'given those tries',
    of: { jobs: 50, 'dead-letters': 30 },
  },
  button: {
    action: 'set-retries',
    place: 60,
    label: 'Set retries',
    doing: 'giving more tries to',
    confirm: 'The tries that it gets from now on; a dead letter is redriven with them.',
  },
  check: ({ verb, retries }) => ({ verb, retries: checkTries(retries, 'retries') }),
  methods: (deps, tenant) => ({
    setRetries: async (id, more) =>
      ofTenant(deps, { id, tenant }, async () =>
        auditAfter(deps, { method: 'setRetries', done, id, context: { detail: String(more) } }, setJobRetries(deps, id, more)),
      ),
  }),
  act: async (on, id, { retries }) => on.setRetries(id, retries),
  says: (_, { retries }) => `It gets ${retries} more ${plural(retries, 'try', 'tries')} from now on.`,
  title: ({ retries }) => `: ${retries}`,
};

async function setJobRetries(deps: AdminDeps, id: string, more: number): Promise<SetRetriesOutcome> {
  const tries = checkTries(more, 'retries');
  await waitForPutWindow(deps, id);
  return orRedrive(
    async () => {
      const result = await setRowRetries(deps.tables, checkJobId(id), tries);
      if (result.outcome === 'set') deps.journal.record({ event: 'retries-set', worker: result.job.worker, job: jobRef(result.job) });
      return result.outcome;
    },
    async () => redriveJob(deps, id, { retries: tries }),
  );
}
