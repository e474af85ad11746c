import { defined } from '../../shared/job/defined.ts';
import { checkPriority } from '../../shared/job/names.ts';
import type { LeftAlone } from '../../shared/store/change-located.ts';
import { planPriority } from '../../shared/store/set-priority.ts';
import type { AuditContext } from '../../shared/operator/act.ts';
import { changeJob } from '../change-job.ts';
import type { JobVerb } from './verb.ts';

/** The verb for one job. */
export interface SetPriorityVerb {
  /** Gives one job another priority wherever it waits, and the lane of that; no rule goes before it. */
  setPriority(id: string, priority: number, context?: AuditContext): Promise<'set' | LeftAlone>;
}

/** What to do to each job in bulk. */
export interface SetPriorityAction {
  readonly verb: 'set-priority';
  readonly priority: number;
}

/** Gives jobs another priority. */
export const setPriority: JobVerb<SetPriorityAction, SetPriorityVerb> = {
  name: 'set-priority',
  method: 'setPriority',
  acts: ['waiting', 'parked', 'suspended', 'ready'],
  arguments: [
    {
      field: 'priority',
      kind: 'whole',
      required: true,
      flag: { flags: '--to-priority <n>', doc: 'the priority; higher is more urgent' },
      asked: {
        one: { name: 'priority', label: 'Priority', kind: 'number', required: true, hint: 'Higher is more urgent.' },
        many: { name: 'priority', label: 'Priority', kind: 'number', required: true, hint: 'Higher is more urgent.' },
      },
      sample: 0,
    },
  ],
  context: 'optional',
  done: ['set'],
  repeated: () => ['running', 'finished', 'not-found', 'dead', 'changed'],
  command: {
    summary: 'gives jobs another priority',
    past: 'given that priority',
    of: { jobs: 30 },
  },
  button: { action: 'set-priority', place: 70, label: 'Set priority', doing: 'giving another priority to' },
  check: ({ verb, priority }) => ({ verb, priority: checkPriority(priority) }),
  methods: (deps, tenant) => ({
    async setPriority(id, given, context = {}) {
      const priority = checkPriority(given);
      const lanes = (worker: string) => deps.deployment.workers.get(worker);
      return changeJob(
        deps,
        {
          name: 'setPriority',
          id,
          context,
          detail: String(priority),
          ...defined({ tenant }),
          // A priority that moved nothing is only in the audit.
          event: ({ job }, ready) =>
            ready === undefined || ready.lane === job.lane ? undefined : { event: 'rerouted', reason: ready.lane },
        },
        (found, terms) => planPriority(found, { priority, lanes }, terms),
      );
    },
  }),
  act: async (on, id, { priority }, context) => on.setPriority(id, priority, context),
  says: (_, { priority }) => `Its priority is ${priority}.`,
  title: ({ priority }) => `: ${priority}`,
};
