import { jobIdFrom } from '../../../../shared/job/job-id.ts';
import type { EnqueueOptions } from '../../../../shared/job/enqueue-options.ts';
import type { Actor } from '../../../../shared/job/transitions.ts';
import { JOB_TYPES } from '../../simulation/workload/work-item-jobs.ts';
import type { Flow, Stage } from '../flow.ts';
import { workItemOf } from '../scripted-world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const CLIENT: readonly Actor[] = ['client'];

/** Only the script is observed: a client, from its first request to its last. */
function producing(name: string, script: (stage: Stage) => Promise<unknown>, more: Partial<Flow> = {}): Flow {
  return {
    name,
    observed: CLIENT,
    async script(stage) {
      stage.observe();
      await script(stage);
    },
    ...more,
  };
}

/** Something is there before the client under observation comes. */
function producingAfter(
  name: string,
  before: (stage: Stage) => Promise<string>,
  script: (stage: Stage, id: string) => Promise<unknown>,
): Flow {
  return {
    name,
    observed: CLIENT,
    async script(stage) {
      stage.source.on = false;
      const id = await before(stage);
      stage.observe();
      await script(stage, id);
    },
  };
}

const enqueued =
  (delay = 0): ((stage: Stage) => Promise<string>) =>
  async (stage) =>
    String(await stage.enqueue('usual', {}, { delay }));

/** A job of a type that no executor knows yet. */
async function suspended(stage: Stage): Promise<string> {
  stage.sandboxes.version = () => 1;
  const id = String(await stage.enqueue('later', {}, { key: 'k' }));
  stage.source.on = true;
  stage.source.wake();
  await stage.until(() => stage.world.store.tables.rows('suspended').length > 0);
  stage.sandboxes.version = () => 2;
  stage.sandboxes.retire();
  return id;
}

const runningWithKey = (stage: Stage): Promise<string> => running(stage, { key: 'k' });

async function running(stage: Stage, options: EnqueueOptions = {}): Promise<string> {
  const id = String(await stage.enqueue('usual', { workMs: 20_000 }, options));
  stage.source.on = true;
  stage.source.wake();
  await stage.pass(1_000);
  return id;
}

async function dead(stage: Stage): Promise<string> {
  const id = String(await stage.enqueue('usual', { kind: 'refused' }, { key: 'k' }));
  await stage.drain();
  return id;
}

const cancel = (stage: Stage, id: string): Promise<unknown> => stage.asClient((client) => client.cancel(id));
const reschedule = (stage: Stage, id: string, delay: number): Promise<unknown> =>
  stage.asClient((client) => client.reschedule(id, { delay }));

/** Flows of clients and operators. */
export const PRODUCING: readonly Flow[] = [
  producing('enqueue', (stage) => stage.enqueue('usual', {})),
  producing('enqueue-grouped-with-delay', (stage) => stage.enqueue('usual', { group: 'g' }, { delay: MINUTE })),
  producing('enqueue-with-key', (stage) => stage.enqueue('usual', {}, { key: 'k' })),
  producing('enqueue-with-a-key-for-a-time', (stage) => stage.enqueue('usual', {}, { key: { value: 'k', for: HOUR } })),
  producing('enqueue-twice-with-key', async (stage) => {
    stage.source.on = false;
    await stage.enqueue('usual', {}, { key: 'k' });
    await stage.enqueue('usual', {}, { key: 'k' });
  }),
  producing('replace-ready', async (stage) => {
    stage.source.on = false;
    await stage.enqueue('usual', {}, { key: 'k' });
    await stage.enqueue('usual', {}, { key: { value: 'k', onConflict: 'replace' } });
  }),
  producing('replace-waiting-later', async (stage) => {
    await stage.enqueue('usual', {}, { delay: HOUR, key: 'k' });
    await stage.enqueue('usual', {}, { delay: 2 * HOUR, key: { value: 'k', onConflict: 'keep-latest' } });
  }),
  producingAfter('replace-suspended', suspended, (stage) => stage.enqueue('later', {}, { key: { value: 'k', onConflict: 'replace' } })),
  producingAfter('replace-dead', dead, (stage) => stage.enqueue('usual', {}, { key: { value: 'k', onConflict: 'replace' } })),
  producingAfter('replace-running', runningWithKey, (stage) => stage.enqueue('usual', {}, { key: { value: 'k', onConflict: 'replace' } })),
  producingAfter('debounce-running', runningWithKey, (stage) =>
    stage.enqueue('usual', {}, { key: { value: 'k', onConflict: 'debounce', debounce: { wait: MINUTE } } }),
  ),
  producing('enqueue-with-own-id', (stage) => stage.enqueue('usual', {}, { id: jobIdFrom(stage.now, 'own') }), { history: 'durable' }),
  producing(
    'enqueue-twice-with-own-id',
    async (stage) => {
      const id = jobIdFrom(stage.now, 'own');
      await stage.enqueue('usual', {}, { id });
      await stage.enqueue('usual', {}, { id });
    },
    { history: 'durable' },
  ),
  producing('schedule', (stage) => stage.enqueue('usual', {}, { delay: HOUR })),
  producing('schedule-with-key', (stage) => stage.enqueue('usual', {}, { delay: HOUR, key: 'k' })),
  producing('enqueue-many', (stage) =>
    stage.asClient(async (client) => {
      const { ids } = await client.enqueueMany(
        JOB_TYPES.usual,
        Array.from({ length: 30 }, () => workItemOf({})),
      );
      for (const id of ids) if (id !== undefined) stage.world.checks.accept(id);
    }),
  ),
  producingAfter('cancel-ready', enqueued(), cancel),
  producingAfter('cancel-waiting', enqueued(HOUR), cancel),
  producingAfter('cancel-suspended', suspended, cancel),
  producingAfter('cancel-running', running, cancel),
  producingAfter('reschedule-ready-sooner-or-later', enqueued(5 * MINUTE), (stage, id) => reschedule(stage, id, MINUTE)),
  producingAfter('reschedule-ready-to-waiting', enqueued(), (stage, id) => reschedule(stage, id, HOUR)),
  producingAfter('reschedule-waiting-to-ready', enqueued(HOUR), (stage, id) => reschedule(stage, id, MINUTE)),
  producingAfter('reschedule-waiting-to-waiting', enqueued(HOUR), (stage, id) => reschedule(stage, id, 2 * HOUR)),
  producingAfter('reschedule-twice-and-cancel', enqueued(HOUR), async (stage, id) => {
    await reschedule(stage, id, 2 * HOUR);
    await reschedule(stage, id, 3 * HOUR);
    await cancel(stage, id);
  }),
  { ...producingAfter('redrive-with-key', dead, (stage, id) => stage.asOperator((admin) => admin.redrive(id))), observed: ['admin'] },
  {
    ...producingAfter('redrive-whose-key-is-taken', dead, async (stage, id) => {
      await stage.enqueue('usual', {}, { key: 'k', delay: HOUR });
      await stage.asOperator((admin) => admin.redrive(id));
    }),
    observed: ['admin'],
  },
];
