import { describe, expect, it } from 'vitest';
import { type Admin, createAdminOver } from '../../operate/admin.ts';
import { StoreUnavailableError } from '../../shared/job/errors.ts';
import { idKey } from '../../shared/store/rows.ts';
import { aimAt } from '../../testing/index.ts';
import { type SdkRig, sdkRig, work } from './fenced-verbs.ts';

const MINUTE = 60_000;
/** DynamoDB has forgotten the token of a transaction by then. */
const ASLEEP_MS = 11 * MINUTE;

interface Stage {
  readonly rig: SdkRig;
  readonly admin: Admin;
  readonly id: string;
}

async function stage(options: { readonly delay?: string } = { delay: 'PT5H' }): Promise<Stage> {
  const rig = await sdkRig({ handlers: [work.handle(() => Promise.reject(new Error('no')))] });
  const { id } = await rig.client.enqueue(work, { text: 'first' }, { ...options, retry: 'never' });
  return { rig, admin: createAdminOver(rig.deps), id };
}

/** Does `act`, whose first transaction is applied; its process then sleeps, others do `meanwhile`, and the SDK tries again. */
async function asleep({ rig }: Stage, act: () => Promise<unknown>, meanwhile: () => Promise<unknown> = async () => undefined) {
  rig.faults.next(aimAt('TransactWriteItems'), {
    fault: 'lost-reply',
    meanwhile: async () => {
      await rig.clock.advance(ASLEEP_MS);
      await meanwhile();
    },
  });
  const outcome = await act().catch((error: unknown) => error);
  expect(rig.faults.pending()).toBe(0);
  return outcome;
}

const VERBS: readonly [string, (stage: Stage) => Promise<unknown>][] = [
  ['edits a payload', async ({ admin, id }) => admin.editPayload(id, { text: 'mine' })],
  ['sets a priority', async ({ admin, id }) => admin.setPriority(id, 7)],
  ['sets a breakpoint', async ({ admin, id }) => admin.breakpoint(id, { reason: 'test' })],
  ['runs a job now', async ({ admin, id }) => admin.runNow(id)],
  ['reschedules', async ({ rig, id }) => rig.client.reschedule(id, { delay: 'PT9H' })],
  ['sets a due date', async ({ admin, id }) => admin.setDueDate(id, { delay: 'PT9H' })],
  ['cancels', async ({ rig, id }) => rig.client.cancel(id)],
];

describe('a process that sleeps for more than ten minutes after a transaction whose reply was lost', () => {
  it.each(VERBS)('and %s is told that the outcome is unknown, and does nothing twice', async (_verb, act) => {
    const one = await stage();
    let before: unknown;
    const outcome = await asleep(
      one,
      async () => act(one),
      async () => (before = await everything(one.rig)),
    );
    expect(outcome).toBeInstanceOf(StoreUnavailableError);
    expect((outcome as Error).message).toContain('Look before you repeat it');
    expect(await everything(one.rig)).toEqual(before);
  });

  it('does not write its edit over one that was made meanwhile', async () => {
    const one = await stage();
    const { rig, admin, id } = one;
    const edit = async () => expect(await admin.editPayload(id, { text: 'theirs' })).toBe('edited');
    expect(await asleep(one, async () => admin.editPayload(id, { text: 'mine' }), edit)).toBeInstanceOf(StoreUnavailableError);
    const [timer] = await rig.rows('timers');
    expect(timer).toMatchObject({ payload: '{"text":"theirs"}' });
  });

  it('does not stop a job again that was resumed meanwhile', async () => {
    const one = await stage();
    const { rig, admin, id } = one;
    const release = async () => expect(await admin.resumeJob(id)).toBe('waiting');
    expect(await asleep(one, async () => admin.breakpoint(id, { reason: 'test' }), release)).toBeInstanceOf(StoreUnavailableError);
    expect(await rig.counts()).toMatchObject({ timers: 1, suspended: 0 });
  });

  it('does not answer that a dead letter is gone, or not, when it deleted it', async () => {
    const one = await stage({});
    const { rig, admin, id } = one;
    await rig.drain();
    expect(await rig.tables.get('deadLetters', idKey(id as never))).toBeDefined();
    expect(await asleep(one, async () => admin.delete(id))).toBeInstanceOf(StoreUnavailableError);
    expect(await rig.counts()).toMatchObject({ deadLetters: 0 });
  });
});

async function everything(rig: SdkRig): Promise<unknown> {
  return Promise.all((['jobs', 'timers', 'suspended', 'history', 'control'] as const).map(async (table) => rig.rows(table)));
}
