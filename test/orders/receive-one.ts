import type { QueueRef } from '../../shared/ports/hints.ts';
import { FIFO, type ScriptedWorld, STANDARD } from '../exhaustive/scripted-world.ts';

/** The next message of any queue, to a sandbox; its answer is there when the invocation has ended. */
export async function receiveOne({ world, sandboxes }: ScriptedWorld): Promise<string> {
  const { queues } = world;
  for (const ref of queues.refs) {
    const messages = queues.receive(ref, 1);
    const [first] = messages;
    if (first === undefined) continue;
    const back = await sandboxes.execute(ref.worker, messages);
    if (back?.includes(first.messageId) === false) queues.acknowledge(messages);
    return back === undefined ? 'died' : back.length === 0 ? 'done' : 'came back';
  }
  return 'no message';
}

/** The same; a queue that delivers at least once delivers the job's last message once more if it has no other. */
export async function receiveAgain(stage: ScriptedWorld, id: string): Promise<string> {
  const { queues, time } = stage.world;
  const due = queues.nextVisibleAt();
  if (due === undefined || due > time.now) deliverAgain(stage, id);
  return receiveOne(stage);
}

/** Delivers the job's last message once more, as a queue may; the queues in which it can lie. */
export function deliverAgain({ world: { queues, checks } }: ScriptedWorld, id: string): readonly QueueRef[] {
  const row = checks.book.jobs.get(id)?.row;
  const lane = typeof row?.['lane'] === 'string' ? row['lane'] : STANDARD.lane;
  const standard = queues.refs.find((ref) => ref.worker === STANDARD.worker && ref.lane === lane) ?? STANDARD;
  if (row !== undefined) queues.inject(standard, JSON.stringify({ v: 1, id, n: Number(row['dispatches'] ?? 1) }));
  return row?.['groupHash'] === undefined && row?.['group'] === undefined ? [standard] : [standard, FIFO];
}
