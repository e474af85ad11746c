import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';
import type { Pace } from '../aws/backoff.ts';
import { timedRequestHandler } from '../aws/request-handler.ts';
import { RetryStrategy } from '../aws/retry-strategy.ts';

/** What a caller may choose; endpoint, region and credentials come from the environment unless they are given. */
export type SqsClientOptions = Pick<SQSClientConfig, 'endpoint' | 'region' | 'credentials' | 'requestHandler'>;

const MAX_ATTEMPTS = 3;

/** The retries of one client, by the given time and chance; default: the machine's. */
export const sqsRetries = (pace: Partial<Pace> = {}): RetryStrategy =>
  new RetryStrategy({ maxAttempts: MAX_ATTEMPTS, baseMs: 50, ...pace });

/**
 * An SQS client that never hangs. A queue URL only names the queue and does not decide where the signed request goes: used as an
 * address, a hostile one would be sent the session token.
 */
export function createSqsClient(options: SqsClientOptions = {}): SQSClient {
  const client = new SQSClient({
    requestHandler: timedRequestHandler(),
    maxAttempts: MAX_ATTEMPTS,
    retryStrategy: sqsRetries(),
    useQueueUrlAsEndpoint: false,
    ...options,
  });
  // It copies what each call sends and gets for a logger, and there is none.
  client.middlewareStack.remove('loggerMiddleware');
  return client;
}
