import type { JobState } from '../../shared/core/job.ts';

interface Of {
  readonly id: string;
  readonly state: JobState;
}

/** How an operator's verb is typed; `<...>` is to be filled in. */
const COMMANDS: ReadonlyMap<string, (job: Of) => readonly string[]> = new Map<string, (job: Of) => readonly string[]>([
  ['redrive', ({ id }) => ['dead-letters', 'redrive', id]],
  [
    'editPayload',
    ({ id, state }) => [...(state === 'dead' ? ['dead-letters', 'edit', '--redrive'] : ['jobs', 'edit']), '--payload', '<json>', id],
  ],
  ['setRetries', ({ id }) => ['jobs', 'set-retries', '--retries', '<n>', id]],
  ['setDueDate', ({ id }) => ['jobs', 'set-due-date', '--at', '<time>', id]],
  ['setPriority', ({ id }) => ['jobs', 'set-priority', '--to-priority', '<n>', id]],
  ['delete', ({ id }) => ['dead-letters', 'delete', id]],
  ['cancel', ({ id }) => ['jobs', 'cancel', id]],
  ['runNow', ({ id }) => ['jobs', 'run-now', id]],
  ['activateJob', ({ id }) => ['jobs', 'activate', id]],
  ['breakpoint', ({ id }) => ['jobs', 'suspend', '--reason', '<text>', id]],
  ['activate', () => ['suspensions', 'list']],
  ['blockedGroups', () => ['groups']],
  ['limits', () => ['stats', 'limits']],
  ['workers', () => ['workers']],
  ['schedules', () => ['schedules', 'list']],
]);

/** The words behind `nightcrew` by which one of an explanation's verbs is done or looked into; undefined for a verb without a command. */
export function verbCommandWords(verb: string, job: Of): readonly string[] | undefined {
  return (COMMANDS.get(verb) ?? COMMANDS.get(verb.split('.')[0] ?? ''))?.(job);
}
