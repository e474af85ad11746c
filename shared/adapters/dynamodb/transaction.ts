import {
  type CancellationReason,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { backOff } from '../aws/backoff.ts';
import { portError } from '../aws/call-failure.ts';
import { StoreRefusedError, StoreUnavailableError } from '../../job/errors.ts';
import { outcomeUnknown } from '../../job/store-failures.ts';
import { TOKEN_TRUSTED_MS } from '../../job/lease.ts';
import { joinParts, sha256 } from '../../job/hash.ts';
import type { CancelReason, TransactOutcome, TransactTerms, Write } from '../../ports/tables.ts';
import { askConsumed, beginEffort, call, type DynamoDeps, type Effort, latestTry, reportConsumed } from './caller.ts';
import { kindOfCancellation, kindOfReason } from './cancellation.ts';
import { CONFLICT_BASE_MS, CONFLICT_RETRIES, rowThatIsThere } from './single-write.ts';
import { transactItem } from './write-input.ts';

const THROTTLE_BASE_MS = 250;
const TOKEN_CHARS = 36;

/**
 * One transaction. Its parameters are built once, so that every try carries the same under the same token. The SDK does not
 * try a cancelled transaction again; conflicts and throttling are tried again here. DynamoDB knows a token for ten minutes: after nine
 * no attempt starts, and a refusal proves nothing about an attempt that may have been applied. Nor does a conflict: after such an
 * attempt it is a StoreUnavailableError.
 */
export async function transactAll(
  deps: DynamoDeps,
  writes: readonly Write[],
  token: string,
  terms: TransactTerms | undefined,
): Promise<TransactOutcome> {
  const beside = (terms?.beside ?? []) as readonly TransactWriteItem[];
  const input = {
    TransactItems: [...writes.map((write) => transactItem(write, deps.names)), ...beside],
    // DynamoDB scopes tokens by account: the table's name keeps two deployments apart.
    ClientRequestToken: sha256(joinParts([deps.names.jobs, token])).slice(0, TOKEN_CHARS),
    ...askConsumed(deps),
  };
  const effort = beginEffort(deps, terms, TOKEN_TRUSTED_MS);
  const { attempts } = effort;
  for (let tries = 0; ; tries += 1) {
    try {
      const { ConsumedCapacity: consumed } = await call(deps, new TransactWriteItemsCommand(input), effort);
      reportConsumed(deps, { kind: 'write', operation: 'transact' }, consumed);
      return { applied: true, attempts: attempts.unsure };
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw failure(deps, effort, error);
      const reasons = error.CancellationReasons ?? [];
      const kind = kindOfCancellation(reasons);
      if (kind === 'refused') throw failure(deps, effort, error);
      const baseMs = kind === 'conflict' ? CONFLICT_BASE_MS : THROTTLE_BASE_MS;
      const again = kind !== 'conditions' && tries < CONFLICT_RETRIES;
      if (!again || !(await backOff(deps, tries, baseMs, latestTry(effort)))) {
        const unknown = kind === 'throttled' || (kind === 'conflict' && attempts.unsure > 0);
        if (unknown || tokenMayBeGone(deps, effort)) throw failure(deps, effort, error);
        const ofWrites = await toReasons(deps, writes, reasons);
        const ofBeside = beside.map((_, index) => besideReason(reasons[writes.length + index]));
        return { applied: false, reasons: [...ofWrites, ...ofBeside], attempts: attempts.unsure + 1 };
      }
    }
  }
}

/** Whether an attempt may have been applied, and its token forgotten. */
function tokenMayBeGone({ clock }: DynamoDeps, { attempts }: Effort): boolean {
  return attempts.unsure > 0 && attempts.firstAt !== undefined && clock.now() > attempts.firstAt + TOKEN_TRUSTED_MS;
}

function failure(deps: DynamoDeps, effort: Effort, error: unknown): StoreUnavailableError | StoreRefusedError {
  if (tokenMayBeGone(deps, effort)) return outcomeUnknown('transact', error);
  if (!(error instanceof TransactionCanceledException)) return portError('transact', error, effort.attempts);
  const refused = kindOfCancellation(error.CancellationReasons ?? []) === 'refused' && effort.attempts.unsure === 0;
  return refused ? new StoreRefusedError('transact', error) : new StoreUnavailableError('transact', error);
}

function toReasons(deps: DynamoDeps, writes: readonly Write[], reasons: readonly CancellationReason[]): Promise<readonly CancelReason[]> {
  return Promise.all(
    writes.map(async (write, index): Promise<CancelReason> => {
      const reason = reasons[index];
      const kind = kindOfReason(reason?.Code);
      if (kind === 'none') return { code: 'none' };
      // With a failed condition, other reasons are ignored: they show up again if the caller retries without that write.
      if (kind !== 'conditions') return { code: 'conflict' };
      const row = await rowThatIsThere(deps, write, reason?.Item);
      return row === undefined ? { code: 'condition' } : { code: 'condition', row };
    }),
  );
}

/** Rows of others are not read. */
function besideReason(reason: CancellationReason | undefined): CancelReason {
  const kind = kindOfReason(reason?.Code);
  return { code: kind === 'none' ? 'none' : kind === 'conditions' ? 'condition' : 'conflict' };
}
