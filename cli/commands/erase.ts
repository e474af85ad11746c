import { ERASED_KINDS, type ErasedKind, type EraseOptions, type EraseScope, type ErasureReport } from '../../operate/erase/erasure.ts';
import { defined } from '../../shared/job/defined.ts';
import type { Call } from '../call.ts';
import { commandLine } from '../command-line.ts';
import { RECENT_FLAGS, recentOf } from '../common-flags.ts';
import type { OpenDeployment } from '../deployments/open-deployment.ts';
import { placeInWords, placeOf } from '../deployments/place-of.ts';
import { showFound, showList } from '../each-deployment.ts';
import { AbsentError, EXIT, UsageError } from '../exit.ts';
import { counted } from '../jobs/read-jobs.ts';
import { listSheet } from '../text/table.ts';
import { plain } from '../text/plain.ts';
import { verbCommand } from '../verb-command.ts';
import { plural } from '../../shared/job/plural.ts';

/** `nightcrew erase`: removes everything that is kept of a job, a type or a tenant. */
export const eraseCommand = verbCommand('erase', 'erases the data of a job, a type or a tenant, and keeps proof', [
  {
    name: 'run',
    byDefault: true,
    summary: 'erases dead letters, History, the event log, results and messages of error groups; without --apply it only counts',
    flags: [
      { flags: '--id <id>', doc: 'of one job' },
      { flags: '--type <type>', doc: 'of the jobs of a type' },
      { flags: '--tenant <tenant>', doc: 'of the jobs of a tenant' },
      { flags: '--apply', doc: 'erases; default: a dry run, which writes nothing' },
      { flags: '--cancel-live', doc: 'cancels jobs that have not ended, and asks running ones to stop; default: their rows stay' },
      { flags: '--rate <n>', doc: 'rows per second at most; default 200' },
      { flags: '--reason <text>', doc: 'why, for the audit; required with --apply' },
      { flags: '--yes', doc: 'does not ask for confirmation, for scripts' },
    ],
    changes: true,
    more: 'Several of --id, --type and --tenant must all match. Exit code 3: live jobs were left, so run it again when they have ended. Backups and point-in-time recovery keep what was erased until they expire.',
    run: async (call) => {
      const scope = defined({ id: call.text('id'), type: call.text('type'), tenant: call.text('tenant') });
      const deployment = await call.deployment();
      const options = optionsOf(call);
      if (!call.on('apply')) return tell(call, deployment, await deployment.admin.erase(scope, options));
      await confirm(call, deployment, scope);
      return tell(call, deployment, await deployment.admin.erase(scope, { ...options, apply: true }));
    },
  },
  {
    name: 'resume',
    summary: 'resumes an erasure that was stopped, or whose process died',
    argument: { text: '<id>', doc: 'id of the erasure' },
    flags: [{ flags: '--rate <n>', doc: 'rows per second at most; default: the rate at which it was started' }],
    changes: true,
    run: async (call) => {
      const deployment = await call.deployment();
      const { reason: _reason, cancelLive: _cancelLive, ...options } = optionsOf(call);
      const [id = ''] = call.args;
      return tell(call, deployment, wanted(await deployment.admin.resumeErasure(id, options), id));
    },
  },
  {
    name: 'list',
    summary: 'recent erasures, newest first; kept for 400 days',
    flags: RECENT_FLAGS,
    run: async (call) => {
      const recent = recentOf(call);
      return showList(
        call,
        async ({ admin }) => ({ erasures: await admin.erasures(recent) }),
        ({ erasures }) =>
          listSheet(
            erasures,
            [
              { head: 'ID', cell: (one) => one.id ?? '' },
              { head: 'OF', gives: true, cell: (one) => scopeWords(one.scope) },
              { head: 'STATUS', cell: (one) => ({ text: one.status, style: one.status === 'done' ? 'good' : 'warn' }) },
              { head: 'ERASED', right: true, cell: (one) => counted(totalOf(one)) },
              { head: 'LIVE', right: true, cell: (one) => counted(one.live) },
              { head: 'STARTED', cell: (one) => call.show.age(one.startedAt) },
              { head: 'BY', gives: true, cell: (one) => one.actor },
              { head: 'REASON', gives: true, cell: (one) => one.reason ?? '' },
            ],
            'There are no erasures.',
            erasures.length < recent.limit ? [] : [`There may be more: --before ${erasures.at(-1)?.id ?? ''}`],
          ),
      );
    },
  },
  {
    name: 'show',
    summary: 'one erasure: what it erased, and the ids of the jobs',
    argument: { text: '<id>', doc: 'id of the erasure' },
    flags: [{ flags: '--after <step>', doc: 'continues the ids after an earlier page' }],
    run: async (call) => {
      const [id = ''] = call.args;
      const after = call.text('after');
      const read = async ({ admin }: OpenDeployment) => {
        const report = await admin.erasure(id);
        return report === undefined ? undefined : { ...report, ...(await admin.erasedJobs(id, defined({ after }))) };
      };
      return showFound(call, read, {
        missing: `No erasure ${plain(id)}.`,
        tell: ({ steps, next, ...report }) => {
          tellReport(call, report);
          for (const step of steps) for (const job of step.ids) call.show.line(`  ${plain(job)}`);
          if (next !== undefined) call.show.line(`More: --after ${next}`);
        },
      });
    },
  },
]);

function optionsOf(call: Call): EraseOptions {
  const [ratePerSecond, reason] = [call.number('rate'), call.text('reason')];
  const begun = (id: string): void => void (call.io.terminal.err && call.io.err(`Erasure ${plain(id)} starts. Ctrl-C stops it.\n`));
  return {
    actor: call.actor,
    signal: call.io.signal,
    onBegin: begun,
    ...(call.on('cancelLive') ? { cancelLive: true } : {}),
    ...defined({ ratePerSecond, reason }),
  };
}

/** Throws UsageError unless the scope was typed once more. */
async function confirm(call: Call, deployment: OpenDeployment, scope: EraseScope): Promise<void> {
  if (call.on('yes')) return;
  const words = scopeWords(scope);
  const place = placeInWords(deployment.name, placeOf(deployment.environment));
  const sentence = `What is kept of ${plain(words)} will be erased for good in ${place}.`;
  const name = scope.id ?? scope.tenant ?? scope.type ?? '';
  const answer = await call.io.ask(`${sentence} Type ${plain(name)} to go on: `);
  if (answer === undefined) throw new UsageError(`${sentence} There is no terminal to confirm it: use --yes.`);
  if (answer.trim() !== name) throw new UsageError('the answer was not that name. Nothing was written.');
}

function wanted(report: ErasureReport | undefined, id: string): ErasureReport {
  if (report === undefined) throw new AbsentError(`there is no erasure ${JSON.stringify(plain(id))}.`);
  return report;
}

function tell(call: Call, deployment: OpenDeployment, report: ErasureReport): number {
  const { id, status, live, failed } = report;
  if (call.show.json) call.show.data(report);
  else tellReport(call, report);
  if (id !== undefined && status === 'running') {
    call.io.err(`Another process has resumed erasure ${plain(id)}, and goes on with it.\n`);
    return EXIT.lost;
  }
  if (id !== undefined && status !== 'done') call.io.err(`To continue: ${commandLine(deployment, 'erase', 'resume', id)}\n`);
  if (status === 'stopped') return EXIT.stopped;
  if (failed > 0) return EXIT.failed;
  return status === 'done' && live > 0 ? EXIT.lost : EXIT.done;
}

function tellReport({ show }: Call, report: ErasureReport): void {
  const { id, scope, status, erased, live, cancelled, schedules = 0, failed, digest } = report;
  const isDry = id === undefined;
  show.line(`${isDry ? 'Dry run' : `Erasure ${plain(id)}`} of ${plain(scopeWords(scope))}: ${isDry ? 'nothing was written' : status}`);
  for (const kind of Object.keys(ERASED_KINDS) as ErasedKind[]) show.line(`  ${counted(erased[kind])} ${ERASED_KINDS[kind]}`);
  if (cancelled > 0) show.line(`  ${counted(cancelled)} live ${plural(cancelled, 'job was', 'jobs were')} cancelled`);
  if (live > 0)
    show.line(
      `  ${counted(live)} live ${plural(live, 'job has not ended: it is', 'jobs have not ended: they are')} not erased. --cancel-live cancels ${plural(live, 'it', 'them')}.`,
    );
  if (schedules > 0)
    show.line(
      `  ${counted(schedules)} ${plural(schedules, 'schedule goes on enqueueing such jobs: delete it, it is', 'schedules go on enqueueing such jobs: delete them, they are')} not erased.`,
    );
  if (failed > 0) show.line(`  ${counted(failed)} ${plural(failed, 'row')} failed: run it again.`);
  if (digest !== '') show.line(`  SHA-256 of the ids: ${digest}`);
  if (isDry) show.line('--apply erases. Backups and point-in-time recovery are not touched.');
}

const totalOf = ({ erased }: ErasureReport): number => Object.values(erased).reduce((sum, count) => sum + count, 0);

function scopeWords({ id, type, tenant }: EraseScope): string {
  return [id === undefined ? [] : `job ${id}`, type === undefined ? [] : `type ${type}`, tenant === undefined ? [] : `tenant ${tenant}`]
    .flat()
    .join(', ');
}
