import { systemEnvironment } from '../../shared/adapters/system.ts';
import { startDynamoDBLocal } from './dynamodb-local.ts';
import { dynoxideBinary, startDynoxide } from './dynoxide.ts';
import type { RunningDynamo } from './emulator-process.ts';
import { givenEndpoint } from './given-endpoint.ts';

/**
 * The DynamoDB of a local region: the endpoint that the environment gives, otherwise Dynoxide, otherwise DynamoDB Local. Throws
 * naming what to start if none of them exists.
 */
export async function startEmbeddedDynamo(
  env: Readonly<Record<string, string | undefined>> = systemEnvironment(),
  platform = `${process.platform}-${process.arch}`,
): Promise<RunningDynamo> {
  if (givenEndpoint('DYNAMODB', env) !== undefined || dynoxideBinary(platform) !== undefined) return startDynoxide(env);
  try {
    return await startDynamoDBLocal(env);
  } catch (cause) {
    throw new Error(
      `There is no DynamoDB to start: Dynoxide has no binary for ${platform}, or optional dependencies were left out. ` +
        `${(cause as Error).message} Or start one yourself (docker run -p 127.0.0.1:8000:8000 amazon/dynamodb-local) and set ` +
        'AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:8000.',
      { cause },
    );
  }
}
