import { createSums } from '../../../shared/lambda/connect-sums.ts';
import type { Deployment } from '../../../shared/config/environment.ts';
import type { HandledJob } from '../../../shared/job/job-type.ts';
import type { Entropy } from '../../../shared/ports/entropy.ts';
import type { Journal } from '../../../shared/ports/journal.ts';
import { executeMessages } from '../../../functions/executor/execute-messages.ts';
import { configureExecutor } from '../../../functions/executor/configure-executor.ts';
import { createWorkerReporter } from '../../../functions/executor/report-worker.ts';
import { LAMBDA, SQS } from './aws-limits.ts';
import type { Latencies } from './latency.ts';
import type { ModelHints } from './model-hints.ts';
import type { Received } from './model-queue.ts';
import type { ModelTables } from './model-tables.ts';
import type { ModelTime } from './model-time.ts';

/** Options of the model's executors. */
export interface ExecutorsOptions {
  readonly time: ModelTime;
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

  /** Runs a delivery batch, acknowledges messages that it did not report, and redelivers the others after the requested delay, or when their visibility timeout ends. */
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
    const { connect } = configureExecutor(handlers, { log: () => LOG, sandbox: { end: quiet } });
    const reporter = createWorkerReporter({ kind: 'lambda', types: handlers.map(({ type }) => type.name), version: 'model' });
    const deps = { ...connect({ deployment, tables, hints, journal, clock, entropy, errorGroups, flushEvents: () => flush() }), reporter };
    return async (messages) => {
      const invocation = { requestId: 'model', deadlineAt: time.now + deployment.settings.executorTimeoutMs };
      const back = await executeMessages(deps, messages, invocation);
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
