import { AsyncLocalStorage } from 'node:async_hooks';
import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { RetryStrategy } from '../../../../shared/adapters/aws/retry-strategy.ts';
import { dynamoRetries } from '../../../../shared/adapters/dynamodb/client.ts';
import { createSqsClient, type SqsClientOptions } from '../../../../shared/adapters/sqs/client.ts';
import { type AttemptTerms, createWireClient, unnamed, WIRE_ACCESS, type WireReply, type WireRequest, wireHandler } from './wire-client.ts';

/** On whose behalf a client works. */
export interface Sender {
  readonly retries: RetryStrategy;
  carry(request: WireRequest, terms: AttemptTerms): Promise<WireReply>;
}

const senders = new AsyncLocalStorage<Sender>();
const present = (): Sender => {
  const sender = senders.getStore();
  if (sender === undefined) throw new Error('nobody asks');
  return sender;
};

/** Does `work` with the shared clients on behalf of a sender. */
export const onBehalfOf = <Answer>(sender: Sender, work: () => Promise<Answer>): Promise<Answer> => senders.run(sender, work);

/** Chooses the retries of the process that asks: their quota and their waits are its own. */
const retriesOfSender: Pick<RetryStrategy, keyof RetryStrategy> = {
  mode: 'standard',
  acquireInitialRetryToken: () => present().retries.acquireInitialRetryToken(),
  refreshRetryTokenForRetry: (token, attempt) => present().retries.refreshRetryTokenForRetry(token, attempt),
  recordSuccess: (token) => present().retries.recordSuccess(token),
};

interface Clients {
  readonly dynamo: DynamoDBClient;
  readonly sqs: SQSClient;
}

let clients: Clients | undefined;

/** The clients of all processes, because making one takes as long as ten calls. Throws before `openWire`. */
export function sharedClients(): Clients {
  if (clients === undefined) throw new Error('the wire is not open');
  return clients;
}

/**
 * Makes the clients and asks each once in real time: with its first call it reads the machine's configuration, which would take no time in a
 * simulated world.
 */
export async function openWire(): Promise<void> {
  if (clients !== undefined) return;
  const requestHandler = wireHandler((request, terms) => present().carry(request, terms));
  const dynamo = createWireClient(requestHandler, { retryStrategy: retriesOfSender });
  const sqs = unnamed(createSqsClient({ ...WIRE_ACCESS, requestHandler, retryStrategy: retriesOfSender } as SqsClientOptions));
  // What they learn about the service's clock would be known in the next world.
  for (const { config } of [dynamo, sqs]) Object.defineProperty(config, 'systemClockOffset', { get: () => 0, set: () => {} });
  const nobody: Sender = { retries: dynamoRetries(), carry: async () => ({ status: 200, body: {} }) };
  await onBehalfOf(nobody, async () => {
    await dynamo.send(new GetItemCommand({ TableName: 'jobs', Key: { id: { S: 'a' } } }));
    await sqs.send(new SendMessageBatchCommand({ QueueUrl: 'q', Entries: [{ Id: '0', MessageBody: '{}' }] }));
  });
  clients = { dynamo, sqs };
}
