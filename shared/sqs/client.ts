import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';
import { timedRequestHandler } from '../aws/request-handler.ts';

/** What a caller may choose; endpoint, region and credentials come from the environment unless they are given. */
export type SqsClientOptions = Pick<SQSClientConfig, 'endpoint' | 'region' | 'credentials' | 'requestHandler'>;

/**
 * An SQS client that never hangs. A queue URL only names the queue and never says where the signed request goes: followed as an
 * address, a hostile one would be sent the session token.
 */
export function createSqsClient(options: SqsClientOptions = {}): SQSClient {
  return new SQSClient({
    requestHandler: timedRequestHandler(),
    maxAttempts: 3,
    retryMode: 'standard',
    useQueueUrlAsEndpoint: false,
    ...options,
  });
}
