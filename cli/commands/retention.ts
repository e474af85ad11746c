import type { RetentionScope } from '../../shared/features/retention/admin/retention-verbs.ts';
import type { Call } from '../call.ts';
import { contextOf, REASON_FLAG } from '../common-flags.ts';
import { EXIT, UsageError } from '../exit.ts';
import { showList } from '../each-deployment.ts';
import { counted } from '../jobs/read-jobs.ts';
import { plain } from '../text/plain.ts';
import { listSheet } from '../text/table.ts';
import { verbCommand } from '../verb-command.ts';

const SCOPE = [
  { flags: '--type <type>', doc: 'dead letters of a type' },
  { flags: '--everything', doc: 'dead letters of all types without a rule of their own' },
];

function scopeOf(call: Call): RetentionScope {
  const type = call.text('type');
  if ((type === undefined) !== call.on('everything')) throw new UsageError('use either --type or --everything.');
  return type === undefined ? 'all' : { type };
}

/** `nightcrew retention`: how long dead letters are kept. */
export const retentionCommand = verbCommand(
  'retention',
  'how long dead letters are kept; without a rule the setting deadLetterDays decides',
  [
    {
      name: 'list',
      byDefault: true,
      summary: 'the rules in force',
      run: async (call) =>
        showList(
          call,
          async ({ admin }) => ({ retention: await admin.retention() }),
          ({ retention }) =>
            listSheet(
              retention,
              [
                { head: 'SCOPE', gives: true, cell: ({ scope }) => scope },
                { head: 'DAYS', right: true, cell: ({ days }) => `${days ?? 'unreadable: keeps all'}` },
                { head: 'FROM', cell: ({ from }) => from },
                { head: 'SINCE', cell: (one) => (one.from === 'setting' ? '' : call.show.age(one.at)) },
                { head: 'BY', gives: true, cell: (one) => (one.from === 'setting' ? '' : one.actor) },
                { head: 'WHY', gives: true, cell: (one) => (one.from === 'setting' ? '' : (one.reason ?? '')) },
              ],
              'No rule: dead letters are kept forever.',
            ),
        ),
    },
    {
      name: 'set',
      summary:
        'lets the sweeper remove dead letters that failed longer ago and whose error group has no note and no owner; with --dry-run it only counts them',
      argument: { text: '<days>', doc: 'whole number from 1 to 3650' },
      flags: [...SCOPE, REASON_FLAG, { flags: '--dry-run', doc: 'counts what would be removed now, and writes nothing' }],
      changes: true,
      more: 'Dead letters of an error group with a note or an owner stay. What is removed is gone for good; the audit names each.',
      run: async (call) => {
        const scope = scopeOf(call);
        const [text = ''] = call.args;
        if (!/^\d{1,9}$/.test(text)) throw new UsageError(`${JSON.stringify(plain(text))} is not a number of days. Use a whole number.`);
        const days = Number(text);
        const { admin } = await call.deployment();
        if (call.on('dryRun')) return tellPreview(call, await admin.previewRetention(scope, days));
        await admin.setRetention(scope, days, contextOf(call));
        if (call.show.json) call.show.data({ scope, days, outcome: 'set' });
        else call.show.line('Set; the sweeper applies it from its next run on, about 250 read units of dead letters a run.');
        return EXIT.done;
      },
    },
    {
      name: 'clear',
      summary: 'removes a rule',
      flags: [...SCOPE, REASON_FLAG],
      changes: true,
      run: async (call) => {
        const scope = scopeOf(call);
        const { admin } = await call.deployment();
        const outcome = await admin.clearRetention(scope, contextOf(call));
        if (call.show.json) call.show.data({ scope, outcome });
        else call.show.line(outcome);
        return outcome === 'cleared' ? EXIT.done : EXIT.lost;
      },
    },
  ],
);

type Preview = Awaited<ReturnType<Awaited<ReturnType<Call['deployment']>>['admin']['previewRetention']>>;

function tellPreview({ show }: Call, preview: Preview): number {
  const { removes, noted, oldest, complete } = preview;
  if (show.json) show.data(preview);
  else {
    show.line(`Dry run: ${complete ? '' : 'at least '}${counted(removes)} dead letters would be removed. Nothing was written.`);
    if (oldest !== undefined) show.line(`  the oldest failed ${show.age(oldest)}`);
    if (noted > 0) show.line(`  ${counted(noted)} older ones stay: their error group has a note or an owner`);
  }
  return EXIT.done;
}
