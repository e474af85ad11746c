import { expect, it } from 'vitest';
import { iso } from '../../shared/job/instant.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const STANDARD = { worker: 'default', lane: 'default', kind: 'standard' } as const;
const work = defineJob('work', { payload: anyPayload });

/** How long the message of a job is hidden that an executor could not claim, because its row says `set`. */
async function hiddenMs(set: (now: number) => Readonly<Record<string, string>>): Promise<readonly number[]> {
  const rig = new Rig({ handlers: [work.handle(() => undefined)] });
  const { id } = await rig.client.enqueue(work, {});
  await rig.tables.write({ op: 'update', table: 'jobs', key: { id }, set: set(rig.clock.now()) });
  const messages = rig.hints.receive(STANDARD, 1);
  const hidden: number[] = [];
  rig.hints.postpone = async (_, ms) => void hidden.push(ms);
  expect(await rig.execute(messages)).toHaveLength(1);
  return hidden;
}

it.each([
  ['is due in a while', 30 * SECOND, 30 * SECOND],
  ['is due in this very moment', 10, SECOND],
])('the message of a job that %s comes back then, not within a second', async (_, inMs, ms) => {
  expect(await hiddenMs((now) => ({ dueAt: iso(now + inMs) }))).toEqual([ms]);
});

it.each([
  ['for a while', MINUTE, MINUTE],
  ['for a moment', 10, SECOND],
])('the message of a job that another runs %s comes back then, not within a second', async (_, inMs, ms) => {
  expect(await hiddenMs((now) => ({ lockOwner: 'run/other', lockExpiresAt: iso(now + inMs) }))).toEqual([ms]);
});

it('the message of a job whose row cannot be read while another runs it comes back', async () => {
  expect(await hiddenMs(() => ({ lockOwner: 'run/other', failures: 'many' }))).toEqual([MINUTE]);
});

it('the message of a job whose group is locked comes back when the lock ends, and that is told of its worker', async () => {
  const grouped = defineJob('grouped', { payload: anyPayload, group: 'g' });
  let inside = async (): Promise<void> => {};
  const rig: Rig = new Rig({ handlers: [grouped.handle(async () => inside())] });
  await rig.client.enqueueMany(grouped, [{}, {}]);
  const fifo = { worker: 'default', lane: '', kind: 'fifo' } as const;
  const [first, second] = rig.hints.receive(fifo, 2);
  if (first === undefined || second === undefined) throw new Error('no messages');
  inside = async () => {
    inside = async () => {};
    expect(await rig.execute([second])).toEqual([second.messageId]);
  };
  await rig.execute([first]);
  expect(rig.journal.entries).toContainEqual(
    expect.objectContaining({ event: 'lost-claim', reason: 'group', worker: 'default', count: 1 }),
  );
});
