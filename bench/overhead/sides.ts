import { createJobClient } from '../../shared/client/create-job-client.ts';
import { createExecutor } from '../../functions/executor/create-executor.ts';
import type { SqsBatchResponse, SqsEvent } from '../../shared/adapters/sqs/event.ts';
import { noop, orderOf } from './bench-job.ts';
import { type Clients, defaultClients, handWrittenEnqueue, handWrittenHandler, plainClients } from './hand-written.ts';
import { createPlace, type Place } from './places.ts';
import { type PerJob, perJob } from './stretch.ts';

/** A turn of one side: so many jobs, what each of them took. `around` wraps what is measured, and nothing else. */
export type Turn = (jobs: number, around?: (work: () => Promise<void>) => Promise<void>) => Promise<PerJob>;

/** All sides, ready to take turns. */
export interface OverheadSides {
  /** Claim, run and complete, of batches of ten; `sdkDefaults` is the hand-written handler with the SDK's clients as they come. */
  readonly executor: Readonly<Record<'ours' | 'withHistory' | 'handWritten' | 'sdkDefaults', Turn>>;
  /** Put and send, ten at a time. */
  readonly enqueue: Readonly<Record<'ours' | 'handWritten', Turn>>;
  close(): void;
}

type Handler = (event: SqsEvent, context: { awsRequestId: string; getRemainingTimeInMillis: () => number }) => Promise<SqsBatchResponse>;

const CONTEXT = { awsRequestId: 'bench', getRemainingTimeInMillis: () => 300_000 };
const AT_ONCE = 10;

/**
 * Both sides over the emulators that the environment names. Ours is what a user deploys: the handler that `createExecutor` makes, with
 * middy, Powertools, metrics, statistics and the operators' rules as they are by default.
 */
export async function createSides(): Promise<OverheadSides> {
  const clients = plainClients();
  const defaults = defaultClients();
  const [off, kept, plain, asTheyCome] = await Promise.all([
    createPlace(clients, { history: 'off' }),
    createPlace(clients, { history: 'outcome' }),
    createPlace(clients, { history: 'off' }),
    createPlace(clients, { history: 'off' }),
  ]);
  const executor = (place: Place): Turn => executes(place, createExecutor([noop.handle(() => {})], { environment: place.environment }));
  const handWritten = (place: Place, { dynamo }: Clients): Turn =>
    executes(
      place,
      handWrittenHandler({ dynamo, table: place.table }, () => {}),
    );
  const client = createJobClient({ environment: off.environment });
  return {
    executor: {
      ours: executor(off),
      withHistory: executor(kept),
      handWritten: handWritten(plain, clients),
      sdkDefaults: handWritten(asTheyCome, defaults),
    },
    enqueue: {
      ours: enqueues(async (n) => void (await client.enqueue(noop, orderOf(n)))),
      handWritten: enqueues(async (n) => handWrittenEnqueue({ ...clients, table: plain.table, queueUrl: plain.queueUrl }, orderOf(n))),
    },
    close: () => {
      for (const client of [clients, defaults].flatMap(({ dynamo, sqs }) => [dynamo, sqs])) client.destroy();
    },
  };
}

const plainly = async (work: () => Promise<void>): Promise<void> => work();

function executes(place: Place, handler: Handler): Turn {
  return async (jobs, around = plainly) => {
    const events = await place.filled(jobs);
    let failures = 0;
    const run = async (): Promise<void> => {
      for (const event of events) failures += (await handler(event, CONTEXT)).batchItemFailures.length;
    };
    const took = await perJob(jobs, async () => around(run));
    if (failures > 0) throw new Error(`${failures} of ${jobs} messages came back.`);
    return took;
  };
}

function enqueues(one: (n: number) => Promise<void>): Turn {
  return async (jobs) =>
    perJob(jobs, async () => {
      for (let n = 0; n < jobs; n += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, async (_, k) => one(n + k)));
    });
}
