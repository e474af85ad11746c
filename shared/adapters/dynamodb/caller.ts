import type {
  $Command,
  ConsumedCapacity,
  DynamoDBClient,
  DynamoDBClientResolvedConfig,
  ServiceInputTypes,
  ServiceOutputTypes,
} from '@aws-sdk/client-dynamodb';
import { type AttemptLimits, guardAttempts, latestStart, sendWithin } from '../aws/attempt-guard.ts';
import { Attempts } from '../aws/attempts.ts';
import type { Pace } from '../aws/backoff.ts';
import type { WriteWindow } from '../../ports/tables.ts';
import type { BatchSupport } from './batch-support.ts';
import type { TableNames } from './write-input.ts';

/** Capacity that one call consumed of one table. Failed conditions consume capacity too, but DynamoDB does not report it. */
export interface Consumed {
  /** Physical name. */
  readonly table: string;
  readonly units: number;
  readonly kind: 'read' | 'write';
  readonly operation: string;
}

/** What the DynamoDB adapter is made of. */
export interface DynamoDeps extends Pace {
  readonly client: DynamoDBClient;
  readonly names: TableNames;
  /** When the invocation ends, epoch milliseconds: no call outlasts it. */
  readonly deadlineAt?: () => number | undefined;
  readonly onConsumed?: (consumed: Consumed) => void;
  /** Where it is given, writes share requests; kept as long as the process lives. */
  readonly batches?: BatchSupport;
}

/** Until when the attempts of one logical request may start, and what is known of them. One for all tries at it. */
export interface Effort {
  readonly limits: AttemptLimits;
  readonly attempts: Attempts;
}

/** Begins a logical request. `withinMs`: no attempt starts later than this after the first. */
export function beginEffort(deps: DynamoDeps, { notAfter }: WriteWindow = {}, withinMs?: number): Effort {
  return { limits: { notAfter, deadline: deps.deadlineAt?.(), withinMs }, attempts: new Attempts() };
}

/** The last instant at which another try may start. */
export const latestTry = ({ limits, attempts }: Effort): number => latestStart(limits, attempts);

/** Makes one call of the SDK within the limits of its effort and the deadline. Throws what the SDK throws. */
export async function call<Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
  deps: DynamoDeps,
  command: $Command<Input, Output, DynamoDBClientResolvedConfig, ServiceInputTypes, ServiceOutputTypes>,
  { limits, attempts }: Effort = beginEffort(deps),
): Promise<Output> {
  guardAttempts(command.middlewareStack, deps.clock, limits, attempts);
  return sendWithin(deps.clock, { deadline: limits.deadline }, async (options) => deps.client.send(command, options));
}

/** Parameter that requests the consumed capacity, if a listener is set. */
export function askConsumed(deps: DynamoDeps): { readonly ReturnConsumedCapacity?: 'TOTAL' } {
  return deps.onConsumed === undefined ? {} : { ReturnConsumedCapacity: 'TOTAL' };
}

/** Reports the capacity that a call consumed to the listener. */
export function reportConsumed(
  deps: DynamoDeps,
  call: Pick<Consumed, 'kind' | 'operation'>,
  consumed: ConsumedCapacity | readonly ConsumedCapacity[] | undefined,
): void {
  for (const { TableName, CapacityUnits } of consumed === undefined ? [] : [consumed].flat()) {
    deps.onConsumed?.({ ...call, table: TableName ?? '', units: CapacityUnits ?? 0 });
  }
}
