import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Deployment } from '../config/environment.ts';
import { systemTurn } from '../adapters/system.ts';
import { defined } from '../job/defined.ts';
import { ANSWER_MS } from '../job/lease.ts';
import { type BatchKind, type BatchRefusal, BatchSupport } from '../adapters/dynamodb/batch-support.ts';
import { createDynamoClient } from '../adapters/dynamodb/client.ts';
import { createDynamoTables } from '../adapters/dynamodb/tables.ts';
import type { Clock } from '../ports/clock.ts';
import type { Entropy } from '../ports/entropy.ts';
import type { Backlog, HintSender, Inbox } from '../ports/hints.ts';
import type { Journal } from '../ports/journal.ts';
import type { OwnPorts } from '../ports/own-ports.ts';
import type { Tables } from '../ports/tables.ts';
import { createSqsClient } from '../adapters/sqs/client.ts';
import { createSqsHints } from '../adapters/sqs/hints.ts';
import { clientPlace } from '../adapters/aws/client-place.ts';

/** The SDK clients of a process: each is made when it is first asked for, and used by every invocation. */
export interface AwsClients {
  readonly dynamo: DynamoDBClient;
  readonly sqs: SQSClient;
  /** Closes the connections of those that were made. */
  destroy(): void;
}

/**
 * Clients with the timeouts that leases depend on. Credentials come from the process's environment; region and endpoints that
 * `environment` names are taken from it, so that two deployments in one process do not meet.
 */
export function createAwsClients(environment: Readonly<Record<string, string | undefined>> = {}): AwsClients {
  let dynamo: DynamoDBClient | undefined;
  let sqs: SQSClient | undefined;
  return {
    get dynamo() {
      return (dynamo ??= createDynamoClient(clientPlace(environment, 'DYNAMODB')));
    },
    get sqs() {
      return (sqs ??= createSqsClient(clientPlace(environment, 'SQS')));
    },
    destroy() {
      dynamo?.destroy();
      sqs?.destroy();
    },
  };
}

/**
 * What a process learns of batches, kept as long as it lives; undefined where its settings switch them off. `journal` gets each refusal
 * once. `only`: a client may put jobs together, and has no right to statements.
 */
export function createBatchSupport(
  { settings }: Pick<Deployment, 'settings'>,
  journal: Journal,
  only?: BatchKind,
): BatchSupport | undefined {
  if (settings.batchWrites === 0) return undefined;
  const onRefused = ({ reason, fix }: BatchRefusal): void => journal.record({ event: 'batches-refused', reason: `${reason}. ${fix}` });
  return new BatchSupport({ onRefused, ...defined({ only }) });
}

/** The ports for one invocation, over AWS where `own` has none: there every request ends half a second before `deadlineAt`. */
export function connectAws(
  clients: AwsClients,
  deployment: Pick<Deployment, 'tables' | 'workers'>,
  terms: {
    readonly clock: Clock;
    readonly entropy: Entropy;
    readonly journal: Journal;
    readonly deadlineAt?: number;
    readonly batches?: BatchSupport | undefined;
    readonly own?: OwnPorts;
  },
): { readonly tables: Tables; readonly hints: HintSender & Inbox & Backlog } {
  const { clock, entropy, journal, deadlineAt, batches, own = {} } = terms;
  const until = deadlineAt === undefined ? {} : { deadlineAt: () => deadlineAt - ANSWER_MS };
  return {
    tables:
      own.tables ??
      createDynamoTables({ client: clients.dynamo, names: deployment.tables, clock, entropy, ...until, ...defined({ batches }) }),
    hints:
      own.hints ??
      createSqsHints({ client: clients.sqs, workers: deployment.workers, clock, entropy, journal, afterTurn: systemTurn, ...until }),
  };
}
