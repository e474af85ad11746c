import { DeleteMessageCommand, ReceiveMessageCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { vi } from 'vitest';
import { useEmulatorCredentials } from '../../local/emulators/emulator-credentials.ts';
import { failedMessages, sqsEvent } from '../../local/sqs-event.ts';
import { encodeEnvironment } from '../../shared/config/environment.ts';
import { resolveSettings } from '../../shared/config/settings.ts';
import { systemEntropy } from '../../shared/adapters/system.ts';
import type { HandledJob, JobContext } from '../../shared/job/job-type.ts';
import { createDynamoTables } from '../../shared/adapters/dynamodb/tables.ts';
import { silentJournal } from '../../shared/adapters/observability/silent-journal.ts';
import type { Tables } from '../../shared/ports/tables.ts';
import { afterTestFile } from '../support/after-test-file.ts';
import { freshQueues, freshTables, testDynamo, testSqs } from '../support/emulators.ts';
import { anyPayload } from '../support/rig.ts';
import type { ReleaseCode } from './kept-release.ts';

const QUEUE_ARN = 'arn:aws:sqs:us-east-1:000000000000:';
const SETTINGS = resolveSettings();
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** The job types of the deployment, defined by each version for itself. */
export const typesOf = ({ defineJob, defineLimit }: ReleaseCode) =>
  ({
    plain: defineJob('plain', { payload: anyPayload, retry: 'R3/PT5M', history: 'attempts' }),
    later: defineJob('later', { payload: anyPayload, retry: 'R3/PT2H' }),
    grouped: defineJob('grouped', { payload: anyPayload, group: 'customer', retry: 'R3/PT1S' }),
    limited: defineJob('limited', { payload: anyPayload, limits: [defineLimit('one', { concurrency: 1 })] }),
  }) as const;

/** One version of the code at work on the deployment. */
export interface Version {
  readonly name: string;
  readonly types: ReturnType<typeof typesOf>;
  readonly client: ReturnType<ReleaseCode['createJobClient']>;
  readonly admin: ReturnType<ReleaseCode['createAdmin']>;
  /** One round of its event sources; how many messages it received. */
  deliver(max?: number): Promise<number>;
  acquire(): Promise<unknown>;
  sweep(): Promise<unknown>;
}

/** A run of a handler. */
export interface Run {
  readonly by: string;
  readonly id: string;
  readonly type: string;
  readonly attempt: number;
}

/** Tables and queues in the emulators, under a clock that a test moves: the versions and the queues see it, DynamoDB does not ask. */
export class SharedDeployment {
  readonly tables: Tables;
  /** All runs, in the order in which they began. */
  readonly runs: Run[] = [];
  /** What every handler does after its run is noted. */
  handler: (context: JobContext<Record<string, unknown>>, by: string) => unknown = () => undefined;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #sqs: SQSClient;
  readonly queues: readonly string[];

  private constructor(parts: {
    readonly environment: Readonly<Record<string, string>>;
    readonly sqs: SQSClient;
    readonly tables: Tables;
    readonly queues: readonly string[];
  }) {
    this.#environment = parts.environment;
    this.#sqs = parts.sqs;
    this.tables = parts.tables;
    this.queues = parts.queues;
  }

  static async open(): Promise<SharedDeployment> {
    afterTestFile(useEmulatorCredentials());
    const [{ client, names }, { client: sqs, workers }] = await Promise.all([
      freshTables(),
      freshQueues({ default: { lanes: ['default'], groups: true } }),
    ]);
    const environment = {
      ...encodeEnvironment({ tables: names, workers: Object.fromEntries(workers), worker: 'default' }),
      AWS_ENDPOINT_URL_DYNAMODB: (await testDynamo()).endpoint,
      AWS_ENDPOINT_URL_SQS: (await testSqs()).endpoint,
    };
    const tables = createDynamoTables({ client, names, clock: shiftedClock, entropy: systemEntropy });
    const queues = [...workers.values()].flatMap(({ lanes, fifo }) => [...Object.values(lanes), ...(fifo === undefined ? [] : [fifo])]);
    return new SharedDeployment({ environment, sqs, tables, queues });
  }

  /** Puts a version of the code to work. */
  version(name: string, code: ReleaseCode): Version {
    const [environment, types] = [this.#environment, typesOf(code)];
    const handled: HandledJob[] = Object.values(types).map((type) =>
      type.handle(async (context) => {
        const { id, attempt } = context.job;
        this.runs.push({ by: name, id, type: type.name, attempt });
        return (await this.handler(context, name)) as undefined;
      }),
    );
    const shared = { environment, journal: silentJournal };
    const executor = code.createExecutor(handled, { ...shared, log: () => log, sandbox: { end: () => {} } });
    const [acquirer, sweeper] = [code.createAcquirer(shared), code.createSweeper(shared)];
    return {
      name,
      types,
      client: code.createJobClient(shared),
      admin: code.createAdmin({ ...shared, actor: name }),
      deliver: async (max = 10) => this.#deliver(executor, max),
      acquire: async () => acquirer({}, contextOf(SETTINGS.acquirerTimeoutMs)),
      sweep: async () => sweeper({}, contextOf(SETTINGS.sweeperTimeoutMs)),
    };
  }

  async #deliver(executor: ReturnType<ReleaseCode['createExecutor']>, max: number): Promise<number> {
    let received = 0;
    for (const QueueUrl of this.queues) {
      const { Messages = [] } = await this.#sqs.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: max,
          MessageSystemAttributeNames: ['All'],
          MessageAttributeNames: ['All'],
        }),
      );
      if (Messages.length === 0) continue;
      received += Messages.length;
      const event = sqsEvent(Messages, `${QUEUE_ARN}${QueueUrl.split('/').at(-1)}`);
      const result = await executor(event, contextOf(SETTINGS.executorTimeoutMs));
      const failed = failedMessages(
        result,
        Messages.map(({ MessageId = '' }) => MessageId),
      );
      for (const { MessageId = '', ReceiptHandle } of Messages) {
        if (!failed.has(MessageId)) await this.#sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      }
    }
    return received;
  }

  /** Sends one more message for a job of a group, under another message group, so that the queue does not hold it back behind its neighbours. */
  async repeatGroupHint(id: string): Promise<void> {
    const [QueueUrl] = this.queues.filter((url) => url.endsWith('.fifo'));
    const MessageBody = JSON.stringify({ v: 1, id, n: 1 });
    await this.#sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageGroupId: 'other', MessageDeduplicationId: `again-${id}` }));
  }

  /** Lets time pass, for the versions and for the queues. */
  pass(ms: number): void {
    shift += ms;
  }
}

const realNow = Date.now.bind(Date);
/** Time begins here, whenever the tests run: what is planned by the day differs by the hour at which it begins. */
const START = Date.UTC(2026, 10, 27, 12);
let shift = START - realNow();
const shiftedClock = { now: () => realNow() + shift, wait: async () => {} };

/** Begins time anew, and moves `Date.now` of this process, which both versions and the queues in it go by, until the test file ends. */
export function shiftTime(): void {
  shift = START - realNow();
  const spy = vi.spyOn(Date, 'now').mockImplementation(() => realNow() + shift);
  afterTestFile(() => spy.mockRestore());
}

let invocations = 0;

function contextOf(timeoutMs: number) {
  const deadlineAt = realNow() + shift + timeoutMs;
  return { awsRequestId: `request-${++invocations}`, getRemainingTimeInMillis: () => deadlineAt - (realNow() + shift) };
}
