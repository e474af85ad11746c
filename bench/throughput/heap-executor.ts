import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createExecutor } from '../../functions/executor/create-executor.ts';
import { invocation } from './invocation.ts';
import { order } from './orders.ts';

// Runs in a process of its own, as a sandbox of the executor does: one invocation after another.

/** Ids of jobs to run, or nothing when all were run. */
export interface HeapOrder {
  readonly ids: readonly string[];
  readonly arn: string;
  /** Messages of an invocation. */
  readonly delivery: number;
  /** Whether to report the heap afterwards. */
  readonly look: boolean;
}

/** The executor's answer: bytes of the heap after a forced collection, if requested. */
export interface HeapAnswer {
  readonly ran: number;
  readonly heapUsed?: number;
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
let ran = 0;
const executor = createExecutor([order.handle(() => void (ran += 1))], { environment: process.env });

async function run({ ids, arn, delivery }: HeapOrder): Promise<void> {
  for (let start = 0; start < ids.length; start += delivery) {
    const Records = ids.slice(start, start + delivery).map((id) => ({
      messageId: id,
      receiptHandle: id,
      body: JSON.stringify({ v: 1, id, n: 1 }),
      attributes: { ApproximateReceiveCount: '1' },
      eventSourceARN: arn,
    }));
    const { batchItemFailures } = await executor({ Records }, invocation());
    if (batchItemFailures.length > 0)
      throw new Error(`${batchItemFailures.length} messages came back, although no other process holds their jobs.`);
  }
}

/** Twice, and after a turn of the event loop each: the first collection leaves what finalizers still hold. */
async function heapUsed(): Promise<number> {
  for (let times = 0; times < 2; times += 1) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  collect();
  return process.memoryUsage().heapUsed;
}

process.on('message', (asked: HeapOrder) => {
  void run(asked).then(async () => {
    const answer: HeapAnswer = { ran, ...(asked.look ? { heapUsed: await heapUsed() } : {}) };
    process.send?.(answer);
  });
});
