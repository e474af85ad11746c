import type {
  $Command,
  ConsumedCapacity,
  DynamoDBClient,
  DynamoDBClientResolvedConfig,
  ServiceInputTypes,
  ServiceOutputTypes,
} from '@aws-sdk/client-dynamodb';
import { guardAttempts, sendWithin } from '../aws/attempt-guard.ts';
import type { Pace } from '../aws/backoff.ts';
import type { WriteWindow } from '../ports/tables.ts';
import type { TableNames } from './write-input.ts';

/** Capacity that one call consumed of one table. Failed conditions consume too, but DynamoDB does not say how much. */
export interface Consumed {
  /** Physical name. */
  readonly table: string;
  readonly units: number;
  readonly kind: 'read' | 'write';
  readonly operation: string;
}

/** What the DynamoDB adapter is made of. */
export interface DynamoParts extends Pace {
  readonly client: DynamoDBClient;
  readonly names: TableNames;
  /** When the invocation ends, epoch milliseconds: no call outlasts it. */
  readonly deadlineAt?: () => number | undefined;
  readonly onConsumed?: (consumed: Consumed) => void;
}

/** Makes one call of the SDK within its window and the deadline. Throws what the SDK throws. */
export async function call<Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
  parts: DynamoParts,
  command: $Command<Input, Output, DynamoDBClientResolvedConfig, ServiceInputTypes, ServiceOutputTypes>,
  window: WriteWindow = {},
): Promise<Output> {
  const limits = { notAfter: window.notAfter, deadline: parts.deadlineAt?.() };
  guardAttempts(command.middlewareStack, parts.clock, limits);
  return sendWithin(parts.clock, limits, async (options) => parts.client.send(command, options));
}

/** Whether no attempt may start any more, so that trying again is only waiting. */
export function isTooLate(parts: DynamoParts, window: WriteWindow = {}): boolean {
  const latest = Math.min(window.notAfter ?? Number.POSITIVE_INFINITY, parts.deadlineAt?.() ?? Number.POSITIVE_INFINITY);
  return parts.clock.now() > latest;
}

/** Parameter that asks for the consumed capacity, where somebody wants to know. */
export function askConsumed(parts: DynamoParts): { readonly ReturnConsumedCapacity?: 'TOTAL' } {
  return parts.onConsumed === undefined ? {} : { ReturnConsumedCapacity: 'TOTAL' };
}

/** Tells whoever asked what a call consumed. */
export function reportConsumed(
  parts: DynamoParts,
  call: Pick<Consumed, 'kind' | 'operation'>,
  consumed: ConsumedCapacity | readonly ConsumedCapacity[] | undefined,
): void {
  for (const { TableName, CapacityUnits } of consumed === undefined ? [] : [consumed].flat()) {
    parts.onConsumed?.({ ...call, table: TableName ?? '', units: CapacityUnits ?? 0 });
  }
}
