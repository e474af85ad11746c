import { InvalidInputError } from '../../shared/core/errors.ts';
import type { JobState } from '../../shared/core/job.ts';
import type { BulkAction } from '../../shared/admin/bulk/bulk-verbs.ts';
import type { JobFilter } from '../../shared/admin/jobs/job-filter.ts';
import type { AskedField } from '../parts/action-button.ts';

/** What can be done to many jobs, and to jobs in which states it can do anything. */
export interface BulkChoice {
  readonly verb: BulkAction['verb'];
  readonly label: string;
  readonly doing: string;
  readonly states: readonly JobState[];
  readonly danger: boolean;
  readonly fields: readonly AskedField[];
}

const RATE: AskedField = { name: 'ratePerSecond', label: 'Jobs a second', kind: 'number', hint: 'Empty: as fast as it goes.' };
const LIMIT: AskedField = { name: 'limit', label: 'Jobs at most', kind: 'number', hint: 'Empty: all of them.' };
const WHY: AskedField = { name: 'reason', label: 'Why', hint: 'For the audit.' };
const CANARY: AskedField = { name: 'canary', label: 'One first, and go on only when that one has completed', kind: 'flag' };
const PLAIN = [RATE, LIMIT, WHY];
const WHEN = { name: 'at', hint: 'An instant such as 2026-01-31T12:00:00Z, or from now such as 30m.' } as const;
const NOT_RUNNING: readonly JobState[] = ['waiting', 'parked', 'ready', 'suspended'];

/** In the order in which they are offered. */
export const BULK_CHOICES: readonly BulkChoice[] = [
  {
    verb: 'redrive',
    label: 'Redrive',
    doing: 'redriving',
    states: ['dead'],
    danger: false,
    fields: [
      CANARY,
      { name: 'retries', label: 'Tries', kind: 'number', hint: "Empty: what each job's policy says." },
      { ...WHEN, label: 'Due', hint: `${WHEN.hint} Empty: now.` },
      ...PLAIN,
    ],
  },
  {
    verb: 'run-now',
    label: 'Run now',
    doing: 'starting',
    states: ['waiting', 'ready', 'suspended'],
    danger: false,
    fields: [CANARY, ...PLAIN],
  },
  { verb: 'activate', label: 'Activate', doing: 'letting go', states: ['suspended'], danger: false, fields: [CANARY, ...PLAIN] },
  {
    verb: 'suspend',
    label: 'Stop each',
    doing: 'stopping',
    states: ['waiting', 'ready'],
    danger: false,
    fields: [{ ...WHY, required: true }, RATE, LIMIT],
  },
  {
    verb: 'set-due-date',
    label: 'Set due date',
    doing: 'moving',
    states: ['waiting', 'parked', 'ready'],
    danger: false,
    fields: [{ ...WHEN, label: 'Due', required: true }, ...PLAIN],
  },
  {
    verb: 'set-retries',
    label: 'Set retries',
    doing: 'giving more tries to',
    states: [...NOT_RUNNING, 'running', 'dead'],
    danger: false,
    fields: [{ name: 'retries', label: 'More tries', kind: 'number', required: true }, ...PLAIN],
  },
  {
    verb: 'set-priority',
    label: 'Set priority',
    doing: 'giving another priority to',
    states: NOT_RUNNING,
    danger: false,
    fields: [{ name: 'priority', label: 'Priority', kind: 'number', required: true, hint: 'Higher is more urgent.' }, ...PLAIN],
  },
  {
    verb: 'change-tenant',
    label: 'Change tenant',
    doing: 'giving to another tenant',
    states: [...NOT_RUNNING, 'dead'],
    danger: false,
    fields: [{ name: 'tenant', label: 'Tenant', hint: 'Empty: none.' }, ...PLAIN],
  },
  { verb: 'cancel', label: 'Cancel', doing: 'cancelling', states: [...NOT_RUNNING, 'running'], danger: true, fields: PLAIN },
  { verb: 'delete', label: 'Delete', doing: 'deleting', states: ['dead'], danger: true, fields: PLAIN },
];

/** Of a known verb. */
export function bulkVerb(verb: BulkAction['verb']): BulkChoice {
  const choice = BULK_CHOICES.find((known) => known.verb === verb);
  if (choice === undefined) throw new InvalidInputError('verb', verb, `Use one of ${BULK_CHOICES.map((known) => known.verb).join(', ')}.`);
  return choice;
}

/** What can be done to jobs of some state that a list shows; without states to any that is unfinished. */
export function bulkChoicesFor(state: JobFilter['state']): readonly BulkChoice[] {
  const states = [state ?? []].flat();
  return BULK_CHOICES.filter((choice) => states.length === 0 || states.some((one) => choice.states.includes(one)));
}

/** The filter with only those states in which the verb can do anything, so that what is counted is what is acted on. */
export function narrowed(filter: JobFilter, verb: BulkAction['verb']): JobFilter {
  const { states, label } = bulkVerb(verb);
  const asked = [filter.state ?? []].flat();
  const left = asked.length === 0 ? states : asked.filter((state) => states.includes(state));
  const [only, ...more] = left;
  if (only === undefined) {
    throw new InvalidInputError('state', asked.join(', '), `${label} works on jobs that are ${states.join(', ')}.`);
  }
  return { ...filter, state: more.length === 0 ? only : left };
}
