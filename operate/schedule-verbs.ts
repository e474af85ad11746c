import type { ScheduleAdmin, ScheduleView } from '../shared/features/schedules/admin/schedules.ts';
import type { AuditContext } from '../shared/operator/act.ts';

/** What a verb did: a word for the result, and the job that it enqueued. */
export interface ScheduleChange {
  readonly word: string;
  readonly job?: string;
}

/** A verb on one schedule that takes no argument but the reason. The command line and the console offer it from here. */
export interface ScheduleVerb {
  readonly name: string;
  readonly summary: string;
  /** Who reads the reason, if not only the audit. */
  readonly why?: { readonly flag: string; readonly hint: string };
  readonly button: { readonly label: string; readonly confirm: (name: string) => string };
  /** Whether it can change the schedule as it is shown. */
  readonly acts: (schedule: Pick<ScheduleView, 'paused'>) => boolean;
  /** Undefined if the schedule is unknown, or already so. */
  readonly run: (schedules: ScheduleAdmin, name: string, context: AuditContext) => Promise<ScheduleChange | undefined>;
  /** Why nothing was changed. */
  readonly leftAlone: (name: string) => string;
}

/** In the order of the help and of the buttons. */
export const SCHEDULE_VERBS: readonly ScheduleVerb[] = [
  {
    name: 'pause',
    summary: 'pauses it: after a few seconds no planned occurrence starts whose time is after the pause',
    why: { flag: 'why, for operators', hint: 'For operators who find it paused.' },
    button: { label: 'Pause', confirm: (name) => `No more jobs of ${name} start; running jobs continue.` },
    acts: ({ paused }) => paused === undefined,
    run: async (schedules, name, context) => ((await schedules.pause(name, context)) ? { word: 'paused' } : undefined),
    leftAlone: (name) => `${name} is paused already, or there is no such schedule any more.`,
  },
  {
    name: 'resume',
    summary: 'resumes it; its missed policy applies to the occurrences since the pause',
    button: {
      label: 'Resume',
      confirm: (name) => `${name} continues; its missed policy applies to the occurrences since the pause.`,
    },
    acts: ({ paused }) => paused !== undefined,
    run: async (schedules, name, context) => ((await schedules.resume(name, context)) ? { word: 'resumed' } : undefined),
    leftAlone: (name) => `${name} is not paused, or there is no such schedule any more.`,
  },
  {
    name: 'run-now',
    summary: 'enqueues one more occurrence now, even while it is paused',
    button: {
      label: 'Run now',
      confirm: (name) => `Starts one more occurrence of ${name} at once. Its other occurrences do not change.`,
    },
    acts: () => true,
    run: async (schedules, name, context) => {
      const job = await schedules.runNow(name, context);
      return job === undefined ? undefined : { word: 'started', job };
    },
    leftAlone: (name) => `There is no schedule ${name} any more.`,
  },
];
