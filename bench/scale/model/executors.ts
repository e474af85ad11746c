import { createSums } from '../../../shared/lambda/connect-sums.ts';
import type { Deployment } from '../../../shared/config/environment.ts';
import type { HandledJob } from '../../../shared/core/job-type.ts';
import type { Entropy } from '../../../shared/ports/entropy.ts';
import type { Journal } from '../../../shared/ports/journal.ts';
import { executeBatch } from '../../../functions/executor/execute-batch.ts';
import { executorDeps } from '../../../functions/executor/executor-deps.ts';
import { createWorkerReporter } from '../../../functions/executor/report-worker.ts';
import { LAMBDA, SQS } from './aws-limits.ts';
import type { Latencies } from './latency.ts';
import type { ModelHints } from './model-hints.ts';
import type { Received } from './model-queue.ts';
import type { ModelTables } from './model-tables.ts';
import type { VirtualTime } from './virtual-time.ts';

/** What executors of the model are made of. */
export interface ExecutorsOptions {
  readonly time: VirtualTime;
  readonly latencies: Latencies;
  readonly tables: ModelTables;
  readonly hints: ModelHints;
  readonly deployment: Deployment;
  readonly handlers: readonly HandledJob[];
  readonly journal: Journal;
  readonly entropy: Entropy;
}

type Invoke = (messages: readonly Received[]) => Promise<readonly string[]>;

const quiet = (): void => {};
const LOG = { debug: quiet, info: quiet, warn: quiet, error: quiet };

/** Sandboxes of the executor as Lambda keeps them: one for each batch at a time, started cold, used again. The code in them is the product's. */
export class Executors {
  invocations = 0;
  coldStarts = 0;
  /** Milliseconds that Lambda bills, initialisation included. */
  billedMs = 0;
  readonly #options: ExecutorsOptions;
  readonly #idle: Invoke[] = [];

  constructor(options: ExecutorsOptions) {
    this.#options = options;
  }

  /** Runs a batch, acknowledges what it did not report, and lets the rest come back when it said, or when its visibility ends. */
  async run(messages: readonly Received[]): Promise<void> {
    const { time, hints, deployment } = this.#options;
    const startedAt = time.now;
    const invoke = this.#idle.pop() ?? (await this.#start());
    this.invocations++;
    const back = new Set(await invoke(messages));
    await time.clock.wait(LAMBDA.cpuMsPerJob * messages.length);
    this.billedMs += time.now - startedAt;
    this.#idle.push(invoke);
    await this.#settle(messages, back, 6 * deployment.settings.executorTimeoutMs - (time.now - startedAt));
    hints.count(queueOf(hints, messages), messages[0]?.message.group);
  }

  async #settle(messages: readonly Received[], back: ReadonlySet<string>, hiddenMs: number): Promise<void> {
    const { latencies, hints } = this.#options;
    const queue = queueOf(hints, messages);
    for (const { messageId, receiptHandle, message } of messages) {
      if (!back.has(messageId)) continue;
      queue.requeue(message, hints.postponed.get(receiptHandle) ?? hiddenMs);
      hints.postponed.delete(receiptHandle);
    }
    if (back.size === messages.length) return;
    await latencies.pass(SQS.deleteMs);
    hints.count(queue, messages[0]?.message.group);
    for (const { messageId, message } of messages) if (!back.has(messageId)) queue.acknowledge(message);
  }

  async #start(): Promise<Invoke> {
    const { time, latencies, tables, hints, deployment, handlers, journal: plain, entropy } = this.#options;
    this.coldStarts++;
    await latencies.pass(LAMBDA.coldStartMs);
    const { clock } = time;
    const { journal, errorGroups, flush } = createSums()({ deployment, tables, journal: plain, clock });
    const { over } = executorDeps(handlers, { log: () => LOG, sandbox: { end: quiet } });
    const reporter = createWorkerReporter({ kind: 'lambda', types: handlers.map(({ type }) => type.name), version: 'model' });
    const deps = { ...over({ deployment, tables, hints, journal, clock, entropy, errorGroups, flushEvents: () => flush() }), reporter };
    return async (messages) => {
      const invocation = { requestId: 'model', deadlineAt: time.now + deployment.settings.executorTimeoutMs };
      const back = await executeBatch(deps, messages, invocation);
      await flush();
      return back;
    };
  }
}

function queueOf(hints: ModelHints, messages: readonly Received[]) {
  const queue = messages[0] && hints.queueOf(messages[0].queue);
  if (queue === undefined) throw new Error('A batch has messages of a queue that is there.');
  return queue;
}
