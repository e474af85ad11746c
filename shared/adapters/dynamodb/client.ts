import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import type { Pace } from '../aws/backoff.ts';
import { timedRequestHandler } from '../aws/request-handler.ts';
import { RetryStrategy } from '../aws/retry-strategy.ts';

/** What a caller may choose; endpoint, region and credentials come from the environment unless they are given. */
export type DynamoClientOptions = Pick<DynamoDBClientConfig, 'endpoint' | 'region' | 'credentials' | 'requestHandler'>;

const MAX_ATTEMPTS = 4;

/** The retries of one client, by the given time and chance; default: the machine's. */
export const dynamoRetries = (pace: Partial<Pace> = {}): RetryStrategy =>
  new RetryStrategy({ maxAttempts: MAX_ATTEMPTS, baseMs: 25, ...pace });

/** A DynamoDB client that never hangs and makes up to four attempts; its retry quota is its own. */
export function createDynamoClient(options: DynamoClientOptions = {}): DynamoDBClient {
  const client = new DynamoDBClient({
    requestHandler: timedRequestHandler(),
    maxAttempts: MAX_ATTEMPTS,
    retryStrategy: dynamoRetries(),
    ...options,
  });
  // It copies what each call sends and gets for a logger, and there is none.
  client.middlewareStack.remove('loggerMiddleware');
  return client;
}
