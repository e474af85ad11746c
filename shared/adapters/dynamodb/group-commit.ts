import { StoreUnavailableError } from '../../job/errors.ts';
import { defined } from '../../job/defined.ts';
import { backOff } from '../aws/backoff.ts';
import { portError } from '../aws/call-failure.ts';
import { type PendingRequest, TurnGroup } from '../batching/turn-group.ts';
import { batchesOf } from '../../ports/put-batches.ts';
import { keyOf, TABLE_SPECS } from '../../ports/table-spec.ts';
import type { SingleWrite, WriteOutcome, WriteWindow } from '../../ports/tables.ts';
import type { BatchSupport } from './batch-support.ts';
import { beginEffort, type DynamoDeps, type Effort, latestTry } from './caller.ts';
import { canBePutTogether, type QueuedPut, putTogether } from './puts-together.ts';
import { CONFLICT_BASE_MS, getRow, writeOne } from './single-write.ts';
import { canBeStated, statementOf } from './statement.ts';
import { type QueuedStatement, writeTogether } from './statement-batch.ts';
import type { Member } from './shared-request.ts';

/**
 * No request takes more statements or puts:
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchExecuteStatement.html, API_BatchWriteItem.html
 */
const MOST = 25;

type AnyQueued = QueuedStatement | QueuedPut;
type Waiting<Queued extends AnyQueued = AnyQueued> = PendingRequest<Queued, Member>;

/**
 * Makes the writes of one turn of the event loop in one request, up to 25 to different rows: conditional ones as statements,
 * puts of new jobs as a batch; see docs/decisions/0041-writes-that-travel-together.md. A single write goes by itself.
 */
export class GroupCommit {
  readonly #deps: DynamoDeps;
  readonly #support: BatchSupport;
  readonly #turn: TurnGroup<AnyQueued, Member>;

  constructor(deps: DynamoDeps, support: BatchSupport) {
    this.#deps = deps;
    this.#support = support;
    this.#turn = new TurnGroup(support.afterTurn, (group) => this.#sendAll(group));
  }

  /** One write, with the answer that it would have by itself. */
  async write(write: SingleWrite, window: WriteWindow | undefined): Promise<WriteOutcome> {
    const deps = this.#deps;
    const effort = beginEffort(deps, window);
    const queued = this.#queuedOf(write, window, effort);
    if (queued === undefined) return writeOne(deps, write, effort);
    const member = await this.#turn.join(queued);
    switch (member.end) {
      case 'applied':
        return { applied: true, ...defined({ row: member.row }), attempts: effort.attempts.unsure };
      case 'unmet': {
        // Not every store sends along the row that made a condition fail.
        const { table, key } = (queued as QueuedStatement).write;
        const row = member.row ?? (await getRow(deps, table, key));
        return { applied: false, ...defined({ row }), attempts: effort.attempts.unsure };
      }
      case 'gone':
        return { applied: false, attempts: effort.attempts.unsure };
      case 'failed':
        throw portError(write.op, member.error, effort.attempts);
      case 'again':
        if (!(await backOff(deps, 0, CONFLICT_BASE_MS, latestTry(effort)))) {
          throw new StoreUnavailableError(write.op, new Error(member.message));
        }
        return writeOne(deps, write, effort);
      case 'alone':
        return writeOne(deps, write, effort);
      case 'refused': {
        const outcome = await writeOne(deps, write, effort);
        if (isStated(queued)) this.#support.misunderstands(queued.statement.text, rowOf(queued.write), member.message);
        return outcome;
      }
    }
  }

  #queuedOf(write: SingleWrite, window: WriteWindow | undefined, effort: Effort): AnyQueued | undefined {
    if (canBePutTogether(write, window)) return this.#support.has('puts') ? { write, effort } : undefined;
    if (window?.notAfter !== undefined || !canBeStated(write)) return undefined;
    const statement = statementOf(write, this.#deps.names);
    return statement !== undefined && this.#support.takes(statement.text) ? { write, statement, effort } : undefined;
  }

  #sendAll(group: readonly Waiting[]): void {
    const [stated, puts] = [group.filter(isOfStatement), group.filter(isOfPut)];
    for (const batch of intoBatches(stated)) void this.#send(batch, writeTogether);
    for (const some of Map.groupBy(puts, ({ request }) => request.write.table).values()) {
      for (const batch of intoBatches(some).flatMap(bySize)) void this.#send(batch, putTogether);
    }
  }

  async #send<Queued extends AnyQueued>(
    batch: readonly Waiting<Queued>[],
    together: (deps: DynamoDeps, support: BatchSupport, queued: readonly Queued[]) => Promise<readonly Member[]>,
  ): Promise<void> {
    if (batch.length < this.#support.least) return batch.forEach(({ resolve }) => resolve({ end: 'alone' }));
    const requests = batch.map(({ request }) => request);
    // It never rejects by itself, but a journal may throw, and every caller waits for its end.
    const members = await together(this.#deps, this.#support, requests).catch((error: unknown): readonly Member[] =>
      batch.map(() => ({ end: 'failed', error })),
    );
    for (const [at, { resolve }] of batch.entries()) resolve(members[at] ?? { end: 'alone' });
  }
}

const isStated = (queued: AnyQueued): queued is QueuedStatement => 'statement' in queued;
const isOfStatement = (one: Waiting): one is Waiting<QueuedStatement> => isStated(one.request);
const isOfPut = (one: Waiting): one is Waiting<QueuedPut> => !isStated(one.request);

/** Batches that name no row twice, in the order of their writes. */
function intoBatches<Queued extends AnyQueued>(waiting: readonly Waiting<Queued>[]): readonly (readonly Waiting<Queued>[])[] {
  const batches: { readonly rows: Set<string>; readonly members: Waiting<Queued>[] }[] = [];
  let open = 0;
  for (const one of waiting) {
    const row = rowOf(one.request.write);
    let at = open;
    while (batches[at] !== undefined && (batches[at]?.rows.has(row) === true || batches[at]?.members.length === MOST)) at += 1;
    const batch = (batches[at] ??= { rows: new Set(), members: [] });
    batch.rows.add(row);
    batch.members.push(one);
    while (batches[open]?.members.length === MOST) open += 1;
  }
  return batches.map(({ members }) => members);
}

function rowOf(write: AnyQueued['write']): string {
  return JSON.stringify([write.table, keyOf(TABLE_SPECS[write.table], write.op === 'put' ? write.row : write.key)]);
}

/** Large rows share a request with fewer others, as in `putAll`. */
function bySize(batch: readonly Waiting<QueuedPut>[]): readonly (readonly Waiting<QueuedPut>[])[] {
  const { batches } = batchesOf(batch.map(({ request }) => request.write.row));
  let from = 0;
  return batches.map(({ length }) => batch.slice(from, (from += length)));
}
