import type { BatchProgress } from '../../shared/features/batches/model/batch-snapshot.ts';
import { defined } from '../../shared/job/defined.ts';
import { contextOf, REASON_FLAG } from '../common-flags.ts';
import type { Call } from '../call.ts';
import { EXIT } from '../exit.ts';
import { showFound, showList } from '../each-deployment.ts';
import { counted } from '../jobs/read-jobs.ts';
import { plain } from '../text/plain.ts';
import { listSheet } from '../text/table.ts';
import { actionOf, argumentFlags } from '../jobs/verb-arguments.ts';
import { changeTenant, type ChangeTenantAction } from '../../operate/verbs/change-tenant.ts';
import { verbCommand } from '../verb-command.ts';
import type { Verb } from '../verb.ts';
import { plural } from '../../shared/job/plural.ts';

const ID = { text: '<id>', doc: 'id of the batch' };

const list: Verb = {
  name: 'list',
  byDefault: true,
  summary: 'batches that are not finished, in the order of their ids',
  flags: [
    { flags: '--limit <n>', doc: 'batches in a page; default 50' },
    { flags: '--after <id>', doc: 'continues after this one' },
  ],
  run: async (call) => {
    const [limit, after] = [call.whole('limit'), call.text('after')];
    const page = defined({ limit, after });
    return showList(
      call,
      async ({ admin }) => admin.batches(page),
      ({ batches, next }) =>
        listSheet(
          batches,
          [
            { head: 'ID', cell: ({ id }) => id },
            { head: 'NAME', gives: true, cell: ({ name }) => name ?? '' },
            { head: 'STATE', cell: ({ state }) => state },
            ...(['total', 'pending', 'succeeded', 'failed', 'cancelled'] as const).map((name) => ({
              head: name.toUpperCase(),
              right: true as const,
              cell: (one: BatchProgress) => counted(one[name]),
            })),
            { head: 'CREATED', cell: ({ createdAt }) => call.show.age(createdAt) },
          ],
          'No batch is in progress.',
          next === undefined ? [] : [`More: --after ${plain(next)}`],
        ),
    );
  },
};

function tell(call: Call, one: BatchProgress): void {
  const { show } = call;
  show.line(`${plain(one.id)}  ${plain(one.name ?? '')}  ${one.state}${one.outcome === undefined ? '' : ` (${one.outcome})`}`);
  show.line(
    `  ${counted(one.total)} ${plural(one.total, 'job')}: ${counted(one.succeeded)} succeeded, ${counted(one.failed)} failed, ${counted(one.cancelled)} cancelled, ${counted(one.pending)} pending`,
  );
  for (const [name, at] of Object.entries({
    created: one.createdAt,
    sealed: one.sealedAt,
    cancelled: one.cancelledAt,
    finished: one.finishedAt,
  })) {
    if (at !== undefined) show.line(`  ${name} ${show.time(at)}`);
  }
  if (one.fired.length > 0) show.line(`  callbacks: ${one.fired.join(', ')}`);
}

const showOne: Verb = {
  name: 'show',
  summary: 'the progress of one batch',
  argument: ID,
  run: async (call) => {
    const [id = ''] = call.args;
    return showFound(call, async ({ admin }) => admin.batch(id), {
      missing: `No batch ${plain(id)}.`,
      tell: (batch) => tell(call, batch),
    });
  },
};

function close(name: 'seal' | 'cancel', summary: string): Verb {
  return {
    name,
    summary,
    argument: ID,
    flags: [REASON_FLAG],
    changes: true,
    run: async (call) => {
      const [id = ''] = call.args;
      const { admin } = await call.deployment();
      const context = contextOf(call);
      const batch = name === 'seal' ? await admin.sealBatch(id, context) : await admin.cancelBatch(id, context);
      if (call.show.json) call.show.data(batch);
      else tell(call, batch);
      return EXIT.done;
    },
  };
}

const ofTenant: Verb = {
  name: 'change-tenant',
  summary: 'gives a batch and its callbacks another tenant, or none; its jobs may follow then',
  argument: ID,
  flags: [...argumentFlags(changeTenant), REASON_FLAG],
  changes: true,
  run: async (call) => {
    const [id = ''] = call.args;
    const { tenant } = (await actionOf(changeTenant, call)) as ChangeTenantAction;
    const { admin } = await call.deployment();
    const batch = await admin.changeBatchTenant(id, tenant, contextOf(call));
    if (call.show.json) call.show.data(batch);
    else {
      tell(call, batch);
      const to = tenant === null ? '--to-no-tenant' : `--to-tenant ${plain(tenant)}`;
      call.show.line(`Its jobs follow with: nightcrew jobs change-tenant --batch ${plain(id)} ${to}`);
    }
    return EXIT.done;
  },
};

/** `nightcrew batches`: batches that are under way. */
export const batchesCommand = verbCommand('batches', 'batches: their progress; seal or cancel one, or change its tenant', [
  list,
  showOne,
  close('seal', 'seals a batch whose builder is gone, so that its callbacks can fire'),
  close('cancel', 'seals it; its jobs that do not run end as cancelled when they are received'),
  ofTenant,
]);
