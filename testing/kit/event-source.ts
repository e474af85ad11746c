import type { WorkerQueues } from '../../shared/config/environment.ts';
import type { MemoryHints } from '../../shared/adapters/memory/hints.ts';
import type { QueueRef, ReceivedHint } from '../../shared/ports/hints.ts';
import type { Invocation } from '../../shared/ports/sandbox.ts';
import type { ExecutorDeps } from '../../functions/executor/deps.ts';
import { executeMessages } from '../../functions/executor/execute-messages.ts';

/** Every queue of a deployment: for each worker its lanes, then its FIFO queue. */
export function allQueues(workers: Iterable<readonly [string, Pick<WorkerQueues, 'lanes' | 'fifo'>]>): readonly QueueRef[] {
  return [...workers].flatMap(([worker, { lanes, fifo }]) => [
    ...Object.keys(lanes).map((lane): QueueRef => ({ worker, lane, kind: 'standard' })),
    ...(fifo === undefined ? [] : [{ worker, lane: '', kind: 'fifo' } as const]),
  ]);
}

/** Runs a delivery batch as an event source does: messages that are not reported are acknowledged. Returns the ids of the others. */
export async function invokeExecutor(
  deps: ExecutorDeps,
  hints: Pick<MemoryHints, 'acknowledge'>,
  messages: readonly ReceivedHint[],
  invocation: Invocation,
): Promise<readonly string[]> {
  const back = await executeMessages(deps, messages, invocation);
  for (const message of messages) if (!back.includes(message.messageId)) hints.acknowledge(message);
  return back;
}
