import { decodeHint } from '../../shared/job/hint.ts';
import { InvalidConfigurationError } from '../../shared/job/errors.ts';
import type { ReceivedHint } from '../../shared/ports/hints.ts';
import { idKey } from '../../shared/store/rows.ts';
import { SandboxEndedError } from '../../functions/executor/execute-messages.ts';
import { invokeExecutor } from './event-source.ts';
import type { KitWorld } from './kit-world.ts';
import { plural } from '../../shared/job/plural.ts';

/** How many more messages this drain may take. */
export interface RunBudget {
  left: number;
}

/** Delivers until no message is visible, as the event sources would; how many messages there were. */
export async function deliverAll(world: KitWorld, budget: RunBudget): Promise<number> {
  let count = 0;
  for (let before = -1; before !== count;) {
    before = count;
    for (const { queue, messages } of receiveRound(world)) {
      count += messages.length;
      spend(world, budget, messages.length);
      const runnable = await withHandler(world, messages);
      if (runnable.length > 0) await execute(world, queue.worker, runnable);
    }
  }
  return count;
}

/** Runs a delivery batch. If the sandbox ended, no message is acknowledged, as in Lambda: the executor has deleted those it was done with. */
export async function execute(world: KitWorld, worker: string, messages: readonly ReceivedHint[]): Promise<void> {
  const deadlineAt = world.clock.now() + world.deployment.settings.executorTimeoutMs;
  try {
    await invokeExecutor(world.partsOf(worker), world.hints, messages, { requestId: world.nextRequestId(), deadlineAt });
  } catch (error) {
    if (!(error instanceof SandboxEndedError)) throw error;
  }
}

function* receiveRound({ queues, hints, deployment }: KitWorld): Generator<{
  readonly queue: ReceivedHint['queue'];
  readonly messages: readonly ReceivedHint[];
}> {
  for (const queue of queues) {
    const messages = hints.receive(queue, Math.min(10, deployment.settings.batchSize));
    if (messages.length > 0) yield { queue, messages };
  }
}

function spend({ maxRuns }: KitWorld, budget: RunBudget, count: number): void {
  budget.left -= count;
  if (budget.left >= 0) return;
  throw new InvalidConfigurationError(
    `maxRuns: more than ${maxRuns} ${plural(maxRuns, 'message')} in one drain or advance. A job probably enqueues itself without end; if not, raise maxRuns.`,
  );
}

/** A job without a handler in the kit is left unchanged, for the test to inspect: its message is removed. */
async function withHandler(world: KitWorld, messages: readonly ReceivedHint[]): Promise<readonly ReceivedHint[]> {
  const kept = await Promise.all(
    messages.map(async (message) => {
      const row = await world.tables.get('jobs', idKey(decodeHint(message.body).id));
      if (row === undefined || world.handlers.has(String(row['type']))) return message;
      world.hints.acknowledge(message);
      return undefined;
    }),
  );
  return kept.filter((message) => message !== undefined);
}
