import type { Duration } from '../../shared/job/duration.ts';
import { Described, InvalidInputError } from '../../shared/job/errors.ts';
import { dueTime, type Instant, iso } from '../../shared/job/instant.ts';
import { checkJobId } from '../../shared/job/job-id.ts';
import { checkOptions } from '../../shared/job/names.ts';
import { jobRef } from '../../shared/ports/journal.ts';
import { reschedule, type Rescheduled } from '../../shared/store/reschedule.ts';
import { sendHints } from '../../shared/store/send-hints.ts';
import type { AdminDeps } from '../admin-deps.ts';
import { auditAfter } from '../audit-after.ts';
import { waitForPutWindow } from '../wait-for-put-window.ts';
import { ofTenant } from './of-tenant.ts';
import { orRedrive, redriveJob, type RedriveOutcome, redrivenOr } from './redrive.ts';
import type { JobVerb } from './verb.ts';

/** When a job is due: at a time, or after a while. The past means now. */
export interface DueOptions {
  readonly runAt?: Instant;
  readonly delay?: Duration;
}

/** What became of `setDueDate`: `rescheduled`, or for a dead letter what its redrive answered; a running or suspended job and the next occurrence of a schedule are left alone. */
export type SetDueDateOutcome = Exclude<Rescheduled['outcome'], 'dead'> | RedriveOutcome;

/** The verb for one job. */
export interface SetDueDateVerb {
  /** Changes the due time of a job that is waiting, parked or ready; a dead letter is redriven at that time. Otherwise the outcome is the reason. */
  setDueDate(id: string, when: DueOptions): Promise<SetDueDateOutcome>;
}

/** What to do to each job in bulk. */
export interface SetDueDateAction extends DueOptions {
  readonly verb: 'set-due-date';
}

const done = ['rescheduled', 'redriven'] as const;

/** Gives jobs another due time. */
export const setDueDate: JobVerb<SetDueDateAction, SetDueDateVerb> = {
  name: 'set-due-date',
  method: 'setDueDate',
  acts: ['waiting', 'parked', 'ready', 'dead'],
  // It would bring dead letters back, so that has to be said.
  means: ['waiting', 'parked', 'ready'],
  arguments: [
    {
      field: 'runAt',
      kind: 'instant',
      required: true,
      flag: { flags: '--at <time>', doc: 'due then: 2h is in two hours' },
      asked: {
        one: { name: 'at', label: 'Due', hint: 'An instant such as 2026-01-31T12:00:00Z, or from now such as 30m.', required: true },
        many: { name: 'at', hint: 'An instant such as 2026-01-31T12:00:00Z, or from now such as 30m.', label: 'Due', required: true },
      },
      missing: {
        one: 'Say when: an instant such as 2026-01-31T12:00:00Z, or 30m from now.',
        many: 'Say when: an instant, or 30m from now.',
      },
      sample: '1m',
    },
  ],
  moreFields: ['delay'],
  done,
  repeated: (_, states) => redrivenOr(['running', 'finished', 'not-found', 'dead', 'changed'], states),
  command: {
    summary: 'gives jobs that wait or are ready another due time, not the next occurrence of a schedule; a dead letter is redriven at it',
    past: 'given that due time',
    of: { jobs: 40, timers: 20 },
  },
  button: { action: 'set-due-date', place: 50, label: 'Set due date', doing: 'moving' },
  check(action, now) {
    if (action.runAt === undefined && action.delay === undefined)
      throw new InvalidInputError('action', new Described('{}'), 'Give runAt or delay.');
    return { verb: action.verb, runAt: iso(dueTime(action, now)) };
  },
  methods: (deps, tenant) => ({
    setDueDate: async (id, when) =>
      ofTenant(deps, { id, tenant }, async () => auditAfter(deps, { method: 'setDueDate', done, id }, setJobDueDate(deps, id, when))),
  }),
  act: async (on, id, { verb: _verb, ...when }) => on.setDueDate(id, when),
  says: (_, { runAt }, words) => `It is due at ${words(runAt ?? 0)}.`,
  title: ({ runAt }, words) => (runAt === undefined ? '' : `: ${words(runAt)}`),
};

/** Refuses what says no due time. */
export function checkDue(when: DueOptions): void {
  checkOptions(when, ['runAt', 'delay'], 'when');
  if (when.runAt === undefined && when.delay === undefined)
    throw new InvalidInputError('when', new Described('{}'), 'Give runAt or delay.');
}

async function setJobDueDate(deps: AdminDeps, id: string, when: DueOptions): Promise<SetDueDateOutcome> {
  checkDue(when);
  await waitForPutWindow(deps, id);
  const dueAt = dueTime(when, deps.clock.now());
  const { redispatchAfterMs, delayHorizonMs } = deps.deployment.settings;
  return orRedrive(
    async () => {
      const now = deps.clock.now();
      const terms = { token: deps.entropy.token(), now, redispatchAfterMs, delayHorizonMs };
      const result = await reschedule(deps.tables, checkJobId(id), dueAt, terms);
      if (result.outcome !== 'rescheduled') return result.outcome;
      deps.journal.record({ event: 'rescheduled', worker: result.job.worker, job: jobRef(result.job) });
      if (result.ready) await sendHints(deps, [result.ready], now);
      return 'rescheduled';
    },
    async () => redriveJob(deps, id, { at: dueAt }),
  );
}
