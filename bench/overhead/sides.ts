import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createJobClient } from '../../shared/client/create-job-client.ts';
import { createExecutor } from '../../functions/executor/create-executor.ts';
import type { SqsBatchResponse, SqsEvent } from '../../shared/adapters/sqs/event.ts';
import { batchedByHand } from './batched-by-hand.ts';
import { noop, orderOf } from './bench-job.ts';
import { type Clients, defaultClients, handWrittenEnqueue, handWrittenHandler, plainClients } from './hand-written.ts';
import { createPlace, type Place } from './places.ts';
import { type PerJob, perJob } from './stretch.ts';

/** A turn of one side: its number of jobs, and the cost of each. `around` wraps exactly the measured code. */
export type Turn = (jobs: number, around?: (work: () => Promise<void>) => Promise<void>) => Promise<PerJob>;

/** All sides, ready to take turns. */
export interface OverheadSides {
  /** Claim, run and complete, of batches of ten; `sdkDefaults` is the hand-written handler with default SDK clients. */
  readonly executor: Readonly<Record<'ours' | 'withHistory' | 'handWritten' | 'sdkDefaults', Turn>>;
  /** Put and send, ten at a time. */
  readonly enqueue: Readonly<Record<'ours' | 'handWritten', Turn>>;
  close(): void;
}

type Handler = (event: SqsEvent, context: { awsRequestId: string; getRemainingTimeInMillis: () => number }) => Promise<SqsBatchResponse>;

const CONTEXT = { awsRequestId: 'bench', getRemainingTimeInMillis: () => 300_000 };
const AT_ONCE = 10;

/**
 * Both sides over the emulators named by the environment. Ours is what a user deploys: the handler of `createExecutor`, with
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

/** Claim, run and complete of batches of ten, over a store that takes the claims in batches. */
export interface BatchedSides {
  readonly executor: Readonly<Record<'ours' | 'batchingOff' | 'handWritten' | 'byHand', Turn>>;
  close(): void;
}

/** The executor with batches and without, a hand-written handler with a request for each write, and one with a request for each step. */
export async function createBatchedSides(): Promise<BatchedSides> {
  const clients = plainClients();
  // A store that has just been started may be slow to create and fill tables, which is not measured and has no timeout.
  const patient = new DynamoDBClient({});
  const place = async (settings = {}): Promise<Place> => createPlace({ ...clients, dynamo: patient }, { history: 'off', settings });
  const [ours, off, single, batched] = [await place(), await place({ batchWrites: 0 }), await place(), await place()];
  const byHand = batchedByHand({ dynamo: clients.dynamo, table: batched.table }, () => {});
  return {
    executor: {
      ours: executor(ours),
      batchingOff: executor(off),
      handWritten: handWritten(single, clients),
      byHand: executes(batched, byHand),
    },
    close: () => [clients.dynamo, clients.sqs, patient].forEach((client) => client.destroy()),
  };
}

const executor = (place: Place): Turn => executes(place, createExecutor([noop.handle(() => {})], { environment: place.environment }));
const handWritten = (place: Place, { dynamo }: Clients): Turn =>
  executes(
    place,
    handWrittenHandler({ dynamo, table: place.table }, () => {}),
  );

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
