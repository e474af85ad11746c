import { ATTEMPT_ORDERS, type AttemptListOptions, type AttemptPage, type ListedAttempt } from '../../operate/attempts/attempt-filter.ts';
import { ATTEMPT_OUTCOMES } from '../../operate/attempts/check-attempts.ts';
import type { AttemptOutcome } from '../../shared/job/attempt.ts';
import type { Call } from '../call.ts';
import { showList } from '../each-deployment.ts';
import type { Flag, Verb } from '../verb.ts';
import { anyOf, givenFields, hasErrorOf, tenantOf } from '../jobs/filter-flags.ts';
import type { Show } from '../show.ts';
import type { Style } from '../text/style.ts';
import { listSheet, type Sheet } from '../text/table.ts';
import { lengthText, wallText } from '../text/time.ts';
import { verbCommand } from '../verb-command.ts';

const FLAGS: readonly Flag[] = [
  { flags: '--type <type>', doc: 'of jobs of this type', many: true },
  { flags: '--worker <worker>', doc: 'of jobs of this worker', many: true },
  { flags: '--tenant <tenant>', doc: 'of jobs of this tenant', many: true },
  { flags: '--tenant-prefix <text>', doc: 'of tenants whose name starts with this text' },
  { flags: '--no-tenant', doc: 'of jobs without a tenant' },
  { flags: '--outcome <outcome>', doc: 'that ended so', many: true, choices: ATTEMPT_OUTCOMES },
  { flags: '--of-reason <reason>', doc: 'that made their job a dead letter for this reason', many: true },
  { flags: '--error-name <name>', doc: 'that failed with an error of this name; JobTimedOutError: past the time limit', many: true },
  { flags: '--fingerprint <text>', doc: 'that failed with an error of this error group', many: true },
  { flags: '--text <text>', doc: 'with this text in the message of the error' },
  { flags: '--with-error', doc: 'that failed with an error' },
  { flags: '--without-error', doc: 'that did not' },
  { flags: '--min-run <time>', doc: 'that ran for at least this long, such as 30s' },
  { flags: '--from <time>', doc: 'that ended then or later; 2h is two hours ago; default a day before --to' },
  { flags: '--to <time>', doc: 'that ended before; default now' },
  { flags: '--due-from <time>', doc: 'of jobs first due then or later; default a day before --from: earlier for jobs retried for longer' },
  { flags: '--due-to <time>', doc: 'of jobs first due before; default a minute after --to: later for jobs run ahead of their time' },
  { flags: '--order <order>', doc: 'by when the jobs were first due, or the slowest of what a page reads', choices: ATTEMPT_ORDERS },
  { flags: '--limit <n>', doc: 'attempts in a page, at most 1000; default 100' },
  { flags: '--after <cursor>', doc: 'continues after an earlier page: the value of its `next`' },
  { flags: '--max-read-units <n>', doc: 'read units after which a page ends, even if it is not full; default 1000' },
];

const list: Verb = {
  summary: 'attempts of all jobs that History keeps, by type, outcome, error and time',
  flags: FLAGS,
  refused: { '--reason': 'says why something is done. To choose attempts by the reason of their dead letter use --of-reason.' },
  run: async (call) => {
    const options = optionsOf(call);
    // A cursor belongs to the deployment that gave it.
    if (options.after !== undefined) await call.deployment();
    return showList(
      call,
      async ({ admin }) => admin.attempts(options),
      (page) => sheetOf(page, call.show),
    );
  },
};

/** `nightcrew attempts`: what attempts of all jobs came to. */
export const attemptsCommand = verbCommand('attempts', list.summary, [list]);

function optionsOf(call: Call): AttemptListOptions {
  return givenFields({
    ...Object.fromEntries(
      (['type', 'worker', 'outcome', 'errorName', 'fingerprint'] as const).map((name) => [name, anyOf(call.texts(name))]),
    ),
    reason: anyOf(call.texts('ofReason')),
    tenant: tenantOf(call),
    text: call.text('text'),
    hasError: hasErrorOf(call),
    minRunMs: call.duration('minRun'),
    ...Object.fromEntries((['from', 'to', 'dueFrom', 'dueTo'] as const).map((name) => [name, call.date(name, 'ago')])),
    order: call.text('order'),
    limit: call.whole('limit'),
    after: call.text('after'),
    maxReadUnits: call.whole('maxReadUnits'),
  });
}

const STYLES: Readonly<Partial<Record<AttemptOutcome, Style>>> = {
  completed: 'good',
  retried: 'warn',
  'dead-lettered': 'bad',
  'lost-lease': 'bad',
  unrecorded: 'bad',
};

function sheetOf({ attempts, next, readUnits }: AttemptPage, show: Show): Sheet {
  return listSheet(
    attempts,
    [
      { head: `STARTED (${show.zone})`, cell: (one) => wallText(one.startedAt.getTime(), show.zone) },
      { head: 'RAN', right: true, cell: (one) => lengthText(one.runMs) },
      { head: 'OUTCOME', cell: (one) => ({ text: one.outcome, style: STYLES[one.outcome] ?? 'strong' }) },
      { head: 'JOB', cell: (one) => one.jobId },
      { head: 'TYPE', gives: true, cell: (one) => one.type },
      { head: 'TRY', right: true, drops: 1, cell: (one) => String(one.attempt) },
      { head: 'TENANT', gives: true, drops: 2, cell: (one) => one.tenant ?? '' },
      { head: 'WORKER', gives: true, drops: 3, cell: (one) => one.worker },
      { head: 'ERROR', gives: true, cell: (one) => errorOf(one) },
    ],
    'No attempts. They are kept for types with the history level attempts, full or durable.',
    [`${readUnits} read units.`, ...(next === undefined ? [] : [`There is more: --after ${next}`])],
  );
}

function errorOf({ error, reason }: ListedAttempt): string {
  const told = error === undefined ? [] : [`${error.name}: ${error.message}`];
  return [...(reason === undefined ? [] : [reason]), ...told].join(', ');
}
