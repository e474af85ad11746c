import { DeleteMessageCommand, type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { Attempts } from '../aws/attempts.ts';
import { portError } from '../aws/call-failure.ts';
import { TIMEOUTS, timedRequestHandler } from '../aws/request-handler.ts';
import { defined } from '../../job/defined.ts';
import { InvalidConfigurationError } from '../../job/errors.ts';
import { ANSWER_MS } from '../../job/lease.ts';
import type { HintSource, ReceiveTerms } from '../../ports/hint-source.ts';
import type { QueueRef, ReceivedHint } from '../../ports/hints.ts';
import { call, type SqsDeps } from './caller.ts';
import { createSqsClient, type SqsClientOptions } from './client.ts';

const MAX_MESSAGES = 10;
const LONGEST_WAIT_MS = 20_000;

/** An SQS client for long polls, which are silent while they wait: the other one takes that for a dead connection. */
export function createPollingClient(options: SqsClientOptions = {}): SQSClient {
  return createSqsClient({ requestHandler: timedRequestHandler(LONGEST_WAIT_MS + TIMEOUTS.socketMs), ...options });
}

/** The queues in SQS, asked by long polls; `deps.client` is one of `createPollingClient`. */
export function createSqsSource(deps: SqsDeps): HintSource {
  return {
    receive: (queue, terms) => receive(deps, queue, terms),
    async acknowledge(message) {
      const command = new DeleteMessageCommand({ QueueUrl: urlOf(deps, message.queue), ReceiptHandle: message.receiptHandle });
      const attempts = new Attempts();
      await call(deps, command, { attempts }).catch((error: unknown) => {
        throw portError('acknowledge', error, attempts);
      });
    },
  };
}

async function receive(deps: SqsDeps, queue: QueueRef, { max, waitMs, signal }: ReceiveTerms): Promise<readonly ReceivedHint[]> {
  const left = (deps.deadlineAt?.() ?? Number.POSITIVE_INFINITY) - deps.clock.now();
  const wanted = Math.min(Math.max(waitMs, 0), LONGEST_WAIT_MS);
  // The reply to a poll comes before the deadline, and so does the caller's own answer.
  const seconds = Math.min(Math.ceil(wanted / 1_000), Math.floor(Math.max(left - ANSWER_MS, 0) / 1_000));
  const command = new ReceiveMessageCommand({
    QueueUrl: urlOf(deps, queue),
    MaxNumberOfMessages: Math.min(Math.max(max, 1), MAX_MESSAGES),
    WaitTimeSeconds: seconds,
    MessageSystemAttributeNames: ['ApproximateReceiveCount'],
  });
  if (signal?.aborted) return [];
  try {
    // A long poll is silent while it waits, so it has a timeout of its own.
    const terms = { attemptMs: seconds * 1_000 + TIMEOUTS.requestMs, ...defined({ signal }) };
    const { Messages: messages = [] } = await call(deps, command, terms);
    return messages.map((message) => received(message, queue));
  } catch (error) {
    if (signal?.aborted) return [];
    throw portError('receive', error);
  }
}

function received(message: Message, queue: QueueRef): ReceivedHint {
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    queue,
    receiveCount: Number(message.Attributes?.ApproximateReceiveCount ?? 1),
  };
}

function urlOf({ workers }: SqsDeps, { worker, lane, kind }: QueueRef): string {
  const queues = workers.get(worker);
  const url = kind === 'fifo' ? queues?.fifo : queues?.lanes[lane];
  if (url === undefined) throw new InvalidConfigurationError(`worker ${worker} has no ${kind} queue for lane ${lane}.`);
  return url;
}
