import { groupHash } from '../../../shared/job/hint.ts';
import type { QueueRef } from '../../../shared/ports/hints.ts';
import type { Row } from '../../../shared/ports/tables.ts';
import { FIFO, type ScriptedWorld, STANDARD } from '../exhaustive/scripted-world.ts';

/** The next message of any queue, to a sandbox, and the one behind it that it only forwards; its answer is there when the invocation has ended. */
export async function receiveOne({ world, sandboxes }: ScriptedWorld): Promise<string> {
  const { queues } = world;
  for (const ref of queues.refs) {
    const messages = queues.receive(ref, 1);
    const [first] = messages;
    if (first === undefined) continue;
    const back = await sandboxes.execute(ref.worker, messages);
    if (back?.includes(first.messageId) === false) queues.acknowledge(messages);
    // Its FIFO queue comes behind those of its lanes.
    if (back?.length === 0 && first.body.includes('"fwd":1')) continue;
    return endText(back);
  }
  return 'no message';
}

const endText = (back: readonly string[] | undefined): string => (back === undefined ? 'died' : back.length === 0 ? 'done' : 'came back');

/** Hands a job's message to a sandbox past the queues, in which others look for theirs. */
export async function receivePast({ world: { checks }, sandboxes }: ScriptedWorld, id: string): Promise<string> {
  const hint = body(id, checks.tracker.jobs.get(id)?.row);
  const message = { messageId: id, receiptHandle: id, body: hint, queue: STANDARD, receiveCount: 1 };
  return endText(await sandboxes.execute(STANDARD.worker, [message]));
}

/** The same; a queue that delivers at least once delivers the job's last message once more if it has no other. */
export async function receiveAgain(stage: ScriptedWorld, id: string): Promise<string> {
  const { queues, time } = stage.world;
  const due = queues.nextVisibleAt();
  if (due === undefined || due > time.now) deliverAgain(stage, id);
  return receiveOne(stage);
}

/** Delivers the job's last message once more, as a queue may; the queues in which it can lie, its own first. */
export function deliverAgain({ world: { queues, checks } }: ScriptedWorld, id: string): readonly QueueRef[] {
  const row = checks.tracker.jobs.get(id)?.row ?? {};
  const standard = laneOf(queues.refs, row);
  const group = row['exclusive'] === false ? undefined : row['group'];
  if (typeof group !== 'string') {
    queues.inject(standard, body(id, row));
    return [standard];
  }
  queues.inject(FIFO, body(id, row, { g: groupHash(group) }));
  return [FIFO, standard];
}

/** Delivers a message of the job's that does not say which group it belongs to. */
export function deliverNameless({ world: { queues, checks } }: ScriptedWorld, id: string): void {
  const row = checks.tracker.jobs.get(id)?.row;
  queues.inject(laneOf(queues.refs, row), body(id, row));
}

const laneOf = (refs: readonly QueueRef[], row: Row = {}): QueueRef =>
  refs.find(({ worker, lane }) => worker === STANDARD.worker && lane === row['lane']) ?? STANDARD;

const body = (id: string, row: Row = {}, more = {}): string => JSON.stringify({ v: 1, id, n: Number(row['dispatches'] ?? 1), ...more });
