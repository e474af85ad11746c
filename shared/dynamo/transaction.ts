import {
  type CancellationReason,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { backOff } from '../aws/backoff.ts';
import { failureOf, portError } from '../aws/call-failure.ts';
import { StoreRefusedError, StoreUnavailableError } from '../core/errors.ts';
import { joinParts, sha256 } from '../core/hash.ts';
import type { CancelReason, TransactOutcome, TransactTerms, Write } from '../ports/tables.ts';
import { askConsumed, call, type DynamoParts, reportConsumed } from './caller.ts';
import { kindOfCancellation, kindOfReason } from './cancellation.ts';
import { CONFLICT_BASE_MS, CONFLICT_RETRIES, rowThatIsThere } from './single-write.ts';
import { transactItem } from './write-input.ts';

const THROTTLE_BASE_MS = 250;
const TOKEN_CHARS = 36;

/**
 * One transaction. Its parameters are built once, so that every try carries the same under the same token. The SDK does not
 * try a cancelled transaction again; conflicts and throttling are tried again here.
 */
export async function transactAll(
  parts: DynamoParts,
  writes: readonly Write[],
  token: string,
  terms: TransactTerms | undefined,
): Promise<TransactOutcome> {
  const beside = (terms?.beside ?? []) as readonly TransactWriteItem[];
  const input = {
    TransactItems: [...writes.map((write) => transactItem(write, parts.names)), ...beside],
    // DynamoDB knows tokens by account: the table's name keeps two deployments apart.
    ClientRequestToken: sha256(joinParts([parts.names.jobs, token])).slice(0, TOKEN_CHARS),
    ...askConsumed(parts),
  };
  let unsure = 0;
  for (let tries = 0; ; tries += 1) {
    try {
      const { ConsumedCapacity: consumed, $metadata } = await call(parts, new TransactWriteItemsCommand(input), terms);
      reportConsumed(parts, { kind: 'write', operation: 'transact' }, consumed);
      return { applied: true, attempts: unsure + ($metadata.attempts ?? 1) };
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw portError('transact', error);
      const { attempts } = failureOf(error);
      const reasons = error.CancellationReasons ?? [];
      const kind = kindOfCancellation(reasons);
      if (kind === 'refused') throw new StoreRefusedError('transact', error);
      if (kind === 'conditions' || tries === CONFLICT_RETRIES) {
        if (kind === 'throttled') throw new StoreUnavailableError('transact', error);
        const ofWrites = await toReasons(parts, writes, reasons);
        const ofBeside = beside.map((_, index) => besideReason(reasons[writes.length + index]));
        return { applied: false, reasons: [...ofWrites, ...ofBeside], attempts: unsure + attempts };
      }
      unsure += attempts - 1;
      await backOff(parts, tries, kind === 'conflict' ? CONFLICT_BASE_MS : THROTTLE_BASE_MS);
    }
  }
}

function toReasons(parts: DynamoParts, writes: readonly Write[], reasons: readonly CancellationReason[]): Promise<readonly CancelReason[]> {
  return Promise.all(
    writes.map(async (write, index): Promise<CancelReason> => {
      const reason = reasons[index];
      const kind = kindOfReason(reason?.Code);
      if (kind === 'none') return { code: 'none' };
      // Beside a failed condition, whatever else stopped a write will say so again when it is tried without the other.
      if (kind !== 'conditions') return { code: 'conflict' };
      const row = await rowThatIsThere(parts, write, reason?.Item);
      return row === undefined ? { code: 'condition' } : { code: 'condition', row };
    }),
  );
}

/** Rows of others are not read. */
function besideReason(reason: CancellationReason | undefined): CancelReason {
  const kind = kindOfReason(reason?.Code);
  return { code: kind === 'none' ? 'none' : kind === 'conditions' ? 'condition' : 'conflict' };
}
