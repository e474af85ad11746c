import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { createDynamoClient } from '../../../shared/adapters/dynamodb/client.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { EMULATOR_ACCESS } from '../../support/emulator-access.ts';

/** A LocalStack that answers, its DynamoDB included. */
export interface RunningLocalStack {
  readonly endpoint: string;
  readonly version: string;
  /** How it was started, for the log. */
  readonly how: string;
  /** Its last output. */
  readonly lastWords: () => string;
  /** Ends it with everything in it. */
  readonly stop: () => Promise<void>;
}

/** The last release that needs no token. */
export const LOCALSTACK_VERSION = '4.14.0';

/** The services; the same as in docker-compose.yml. */
export const LOCALSTACK_SERVICES = 'cloudformation,dynamodb,events,sqs';

const HEALTH_TIMEOUT_MS = 2_000;
const LOOK_EVERY_MS = 200;

/**
 * Waits until LocalStack answers, then for its DynamoDB, which it starts at the first call and for which no request of ours would
 * wait long enough. Gives back its version; undefined when it ended before, or was not ready in time.
 */
export async function whenReady(
  endpoint: string,
  { clock, withinMs, ended }: { readonly clock: Clock; readonly withinMs: number; readonly ended: () => boolean },
): Promise<string | undefined> {
  const deadline = clock.now() + withinMs;
  for (; clock.now() < deadline && !ended(); await clock.wait(LOOK_EVERY_MS)) {
    const version = await versionAt(endpoint);
    if (version !== undefined && !ended() && (await dynamoAnswers(endpoint))) return version;
  }
  return undefined;
}

async function versionAt(endpoint: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${endpoint}/_localstack/health`, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) });
    const { version } = (await response.json()) as { readonly version?: string };
    return version;
  } catch {
    return undefined;
  }
}

async function dynamoAnswers(endpoint: string): Promise<boolean> {
  const client = createDynamoClient({ ...EMULATOR_ACCESS, endpoint });
  try {
    await client.send(new ListTablesCommand({}));
    return true;
  } catch {
    return false;
  } finally {
    client.destroy();
  }
}
