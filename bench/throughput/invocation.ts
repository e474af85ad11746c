import { randomUUID } from 'node:crypto';
import type { LambdaContext } from '../../shared/lambda/lambda-handler.ts';

/** The Lambda context of a function with a timeout of a minute. */
export function invocation(timeoutMs = 60_000): LambdaContext {
  const deadlineAt = Date.now() + timeoutMs;
  return { awsRequestId: randomUUID(), getRemainingTimeInMillis: () => Math.max(0, deadlineAt - Date.now()) };
}
