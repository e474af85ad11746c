import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Deployment } from '../config/environment.ts';
import { defined } from '../core/defined.ts';
import { ANSWER_MS } from '../core/lease.ts';
import { createDynamoClient } from '../adapters/dynamodb/client.ts';
import { createDynamoTables } from '../adapters/dynamodb/tables.ts';
import type { Clock } from '../ports/clock.ts';
import type { Entropy } from '../ports/entropy.ts';
import type { Backlog, HintSender, Inbox } from '../ports/hints.ts';
import type { Journal } from '../ports/journal.ts';
import type { Tables } from '../ports/tables.ts';
import { createSqsClient } from '../adapters/sqs/client.ts';
import { createSqsHints } from '../adapters/sqs/hints.ts';

/** The SDK clients of a process: made once, used by every invocation. */
export interface AwsClients {
  readonly dynamo: DynamoDBClient;
  readonly sqs: SQSClient;
}

/** Where a client's service is, and with whose keys. */
interface ClientPlace {
  endpoint?: string;
  region?: string;
  credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
}

/**
 * Clients with the timeouts that leases depend on. Credentials come from the process's environment; region and endpoints that
 * `environment` names are taken from it, so that two deployments in one process do not meet.
 */
export function createAwsClients(environment: Readonly<Record<string, string | undefined>> = {}): AwsClients {
  const {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: token,
  } = environment;
  const keys = accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey, ...(token ? { sessionToken: token } : {}) } : undefined;
  const at = (service: string): ClientPlace => {
    const endpoint = environment[`AWS_ENDPOINT_URL_${service}`];
    return defined({ endpoint, region, credentials: keys });
  };
  return { dynamo: createDynamoClient(at('DYNAMODB')), sqs: createSqsClient(at('SQS')) };
}

/** The ports over AWS for one invocation: every request ends half a second before `deadlineAt`. */
export function connectAws(
  clients: AwsClients,
  deployment: Pick<Deployment, 'tables' | 'workers'>,
  terms: { readonly clock: Clock; readonly entropy: Entropy; readonly journal: Journal; readonly deadlineAt?: number },
): { readonly tables: Tables; readonly hints: HintSender & Inbox & Backlog } {
  const { clock, entropy, journal, deadlineAt } = terms;
  const until = deadlineAt === undefined ? {} : { deadlineAt: () => deadlineAt - ANSWER_MS };
  return {
    tables: createDynamoTables({ client: clients.dynamo, names: deployment.tables, clock, entropy, ...until }),
    hints: createSqsHints({ client: clients.sqs, workers: deployment.workers, clock, entropy, journal, ...until }),
  };
}
