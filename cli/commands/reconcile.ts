import type { ReconcileOptions, ReconcileReport } from '../../operate/reconcile/reconcile.ts';
import { FINDING_KINDS, type FindingCounts } from '../../operate/reconcile/findings.ts';
import { JOB_TABLES, type JobTable } from '../../operate/reconcile/rows-of-job.ts';
import { defined } from '../../shared/job/defined.ts';
import { shown } from '../../shared/job/errors.ts';
import { commandLine } from '../command-line.ts';
import { REASON_FLAG } from '../common-flags.ts';
import type { Call } from '../call.ts';
import { EXIT, UsageError } from '../exit.ts';
import type { OpenDeployment } from '../deployments/open-deployment.ts';
import { counted } from '../jobs/read-jobs.ts';
import { plain } from '../text/plain.ts';
import { verbCommand } from '../verb-command.ts';
import { plural } from '../../shared/job/plural.ts';

/** `nightcrew reconcile`: repairs what a restore left half done. */
export const reconcileCommand = verbCommand('reconcile', 'finds and repairs inconsistencies after a restore of tables', [
  {
    summary: 'finds inconsistent rows after a restore; --apply repairs them',
    flags: [
      { flags: '--apply', doc: 'repairs; default: a dry run, which writes nothing' },
      {
        flags: '--copy <table=name>',
        doc: `a table restored to an earlier instant (${JOB_TABLES.join(', ')}): jobs that only it has are put back`,
        many: true,
      },
      { flags: '--restored-to <time>', doc: 'the instant to which the tables were restored, to look for callbacks of batches too' },
      { flags: '--rate <n>', doc: 'rows per second at most; default as fast as possible' },
      { flags: '--after <place>', doc: 'continues where a run stopped' },
      REASON_FLAG,
    ],
    changes: true,
    more: 'Each repair is one transaction on the rows as they were seen, with an entry in the audit. Repeat it until it finds nothing. Exit code 3: something was left as it is. Ctrl-C stops it after a page and prints what continues.',
    run: async (call) => {
      const options = optionsOf(call);
      const deployment = await call.deployment();
      const report = await deployment.admin.reconcile(options);
      if (call.show.json) call.show.data(report);
      else tell(call, deployment, report);
      return codeOf(report);
    },
  },
]);

function optionsOf(call: Call): ReconcileOptions {
  const [after, reason, rate] = [call.text('after'), call.text('reason'), call.number('rate')];
  return {
    apply: call.on('apply'),
    copies: copiesOf(call.texts('copy') ?? []),
    signal: call.io.signal,
    actor: call.actor,
    ...defined({ restoredTo: call.date('restoredTo', 'ago'), after, reason, ratePerSecond: rate }),
  };
}

function copiesOf(given: readonly string[]): Readonly<Partial<Record<JobTable, readonly string[]>>> {
  const copies: Partial<Record<JobTable, string[]>> = {};
  for (const one of given) {
    const [, name, value = ''] = /^([A-Za-z]+)=(.+)$/.exec(one) ?? [];
    const table = JOB_TABLES.find((known) => known === name);
    if (table === undefined) {
      throw new UsageError(`--copy ${shown(one)} is not valid. Use <table>=<name>, where the table is one of ${JOB_TABLES.join(', ')}.`);
    }
    (copies[table] ??= []).push(value);
  }
  return copies;
}

function codeOf({ applied, findings, failed, next }: ReconcileReport): number {
  if (next !== undefined) return EXIT.stopped;
  if (failed > 0) return EXIT.failed;
  return applied && findings.some(({ left, changed }) => left + changed > 0) ? EXIT.lost : EXIT.done;
}

function tell(call: Call, deployment: OpenDeployment, { applied, findings, rows, failed, next }: ReconcileReport): void {
  const { show } = call;
  show.sheet({
    columns: [{ head: 'FINDING' }, ...['FOUND', 'REPAIRED', 'CHANGED', 'LEFT'].map((head) => ({ head, right: true as const }))],
    rows: findings.map(({ kind, found, repaired, changed, left }) => [kind, ...[found, repaired, changed, left].map(counted)]),
    empty: 'Everything fits together.',
  });
  for (const finding of findings) tellExamples(call, finding);
  show.line(`${counted(rows)} ${plural(rows, 'row was', 'rows were')} looked at.`);
  if (failed > 0) show.line(`The store did not answer for ${counted(failed)} ${plural(failed, 'row')}: run it again.`);
  if (next !== undefined) show.line(`It stopped. To continue: ${commandLine(deployment, 'reconcile', ...wordsOf(call), '--after', next)}`);
  if (!applied && findings.length > 0) show.line('This was a dry run: nothing was changed. --apply repairs what was found.');
}

function tellExamples(call: Call, { kind, examples }: FindingCounts): void {
  const { show } = call;
  show.line('');
  show.line(`${show.paint('head', kind)}: ${FINDING_KINDS[kind]}`);
  for (const { subject, outcome, says } of examples) show.line(`  ${plain(subject)}  ${outcome}: ${plain(says)}`);
}

/** What a run that continues must be given again. */
function wordsOf(call: Call): readonly string[] {
  const [rate, reason, actor] = [call.text('rate'), call.text('reason'), call.text('actor')];
  const restoredTo = call.date('restoredTo', 'ago');
  return [
    ...(call.on('apply') ? ['--apply'] : []),
    ...(call.texts('copy') ?? []).flatMap((copy) => ['--copy', copy]),
    ...(restoredTo === undefined ? [] : ['--restored-to', restoredTo.toISOString()]),
    ...(rate === undefined ? [] : ['--rate', rate]),
    ...(reason === undefined ? [] : ['--reason', reason]),
    ...(actor === undefined ? [] : ['--actor', actor]),
  ];
}
