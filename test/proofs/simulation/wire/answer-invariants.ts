import { isDeepStrictEqual } from 'node:util';
import { StoreRefusedError } from '../../../../shared/job/errors.ts';
import { TOKEN_TRUSTED_MS } from '../../../../shared/job/lease.ts';
import { isSetBack } from '../../../../shared/adapters/aws/attempts.ts';
import type { CancelReason, Row, TransactOutcome, WriteOutcome } from '../../../../shared/ports/tables.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { Reason } from './dynamo-service.ts';
import type { WireReply } from './wire-client.ts';

/** One attempt, as it was in truth. */
export interface SeenAttempt {
  /** By the clock of its process. */
  readonly startedAt: number;
  /** Whether the store has applied it by now; of a batch, the rows that it took. */
  applied: boolean;
  rows: readonly Row[];
  /** It only looked at the row that a write met. */
  readonly reads?: boolean;
  /** What its process was answered. */
  reply?: WireReply;
}

/** What a call of the port was allowed. */
export interface CallTerms {
  readonly op: 'read' | 'write' | 'transact' | 'putAll';
  readonly notAfter: number | undefined;
  /** When it must have ended: asked anew, because a sandbox that froze with a call under way thaws with another invocation. */
  readonly deadlineAt: () => number | undefined;
}

/** Whole milliseconds, and the time that a simulated step takes. */
const ROUNDING_MS = 5;

/** How far the clock of a process was ahead when it made the first call with a deadline: all calls that share it are ended by one timer, which began then. */
const firstCalls = new WeakMap<SimProcess, { readonly deadline: number | undefined; readonly skewMs: number }>();

/** Holds one call of the port against what became of its attempts on the wire. */
export class AnswerInvariants {
  readonly attempts: SeenAttempt[] = [];
  readonly #process: SimProcess;
  readonly #terms: CallTerms;
  readonly #skewMs: number;
  readonly #begunAt: number;
  readonly #deadline: number | undefined;
  readonly #untrue: (what: string) => void;

  constructor(process: SimProcess, terms: CallTerms, untrue: (what: string) => void) {
    this.#process = process;
    this.#terms = terms;
    this.#skewMs = process.skewMs;
    this.#begunAt = process.clock.now();
    this.#deadline = terms.deadlineAt();
    if (firstCalls.get(process)?.deadline !== this.#deadline) firstCalls.set(process, { deadline: this.#deadline, skewMs: process.skewMs });
    this.#untrue = (what) => untrue(`${process.name}, ${terms.op} in ${this.attempts.length} attempts: ${what}`);
  }

  /** Notes an attempt that starts now, and whether it may. */
  begin(reads = false): SeenAttempt {
    const { op, notAfter } = this.#terms;
    const startedAt = this.#process.clock.now();
    const firstAt = this.attempts[0]?.startedAt ?? startedAt;
    if (startedAt > (notAfter ?? startedAt)) this.#untrue('an attempt starts after its window');
    if (startedAt > (this.#deadline ?? startedAt)) this.#untrue('an attempt starts after the deadline');
    const isTimed = op === 'transact' || notAfter !== undefined;
    if (isTimed && isSetBack(startedAt, this.attempts.at(-1)?.startedAt)) this.#untrue('an attempt starts after the clock was set back');
    if (op === 'transact' && startedAt > firstAt + TOKEN_TRUSTED_MS) this.#untrue('an attempt starts after the life of its token');
    const attempt: SeenAttempt = { startedAt, applied: false, rows: [], reads };
    this.attempts.push(attempt);
    return attempt;
  }

  /** The call ended, well or not. */
  ended(): void {
    // A wait that began before the clock jumped ends when it would have.
    const jumped = [this.#skewMs, firstCalls.get(this.#process)?.skewMs].some((before) => before !== this.#process.skewMs);
    const reinvoked = this.#terms.deadlineAt() !== this.#deadline;
    // A call that was made too late is refused at once. One that its process slept through ends at the thaw, even if it began after the
    // freeze: the turn in which a process freezes goes on to its end.
    const { thawedAt, skewMs } = this.#process;
    const latest = Math.max(this.#deadline ?? Number.POSITIVE_INFINITY, this.#begunAt, thawedAt + skewMs);
    const isLate = this.#process.clock.now() > latest + ROUNDING_MS;
    if (isLate && !reinvoked && !jumped) this.#untrue('it ends after the deadline');
  }

  failed(error: unknown): void {
    if (!(error instanceof StoreRefusedError)) return;
    if (this.#isApplied || this.unsure > 0) this.#untrue('told as refused, and it may have been applied');
  }

  write(outcome: WriteOutcome): void {
    this.#applied(outcome);
    if (outcome.applied) return;
    if (outcome.attempts === 1 && this.#isApplied) this.#untrue('told as not applied, and it was');
    if (!this.#wasUnmet) this.#untrue('told that its condition failed, and it did not');
  }

  transact(outcome: TransactOutcome): void {
    this.#applied(outcome);
    if (outcome.applied) return;
    if (this.#isApplied) this.#untrue('told as not applied, and it was');
    const said = (this.attempts.at(-1)?.reply?.body['CancellationReasons'] ?? []) as readonly Reason[];
    const [expected, told] = [said.map(codeOf), outcome.reasons.map(({ code }) => code)];
    if (!isDeepStrictEqual(told, expected)) this.#untrue(`the reasons were ${expected.join()}, told are ${told.join()}`);
  }

  putAll(rows: readonly Row[], left: readonly Row[]): void {
    const taken = new Set(this.attempts.flatMap((attempt) => attempt.rows.map(text)));
    const lost = rows.filter((row) => !left.includes(row) && !taken.has(text(row)));
    if (lost.length > 0) this.#untrue(`${lost.length} of ${rows.length} rows are told as written, and were not`);
  }

  #applied({ applied, attempts }: WriteOutcome | TransactOutcome): void {
    if (applied && !this.#isApplied) this.#untrue('told as applied, and it was not');
    const known = this.unsure + 1;
    if (attempts !== known) this.#untrue(`${known} attempts may have been applied or were answered, told are ${attempts}`);
  }

  get #isApplied(): boolean {
    return this.attempts.some(({ applied }) => applied);
  }

  /** Whether the store said so to the last attempt that writes; of a delete in a batch, by showing no row. */
  get #wasUnmet(): boolean {
    const last = this.attempts.findLast(({ reads }) => reads !== true);
    return last?.reply?.status === 200 ? !last.applied : String(last?.reply?.body['__type']).includes('ConditionalCheckFailed');
  }

  /** Attempts before the last one of which nobody was told that they were refused. */
  get unsure(): number {
    const writing = this.#terms.op === 'read' ? this.attempts : this.attempts.filter(({ reads }) => reads !== true);
    return writing.slice(0, -1).filter(({ reply }) => reply === undefined || (reply.status >= 500 && reply.status !== 501)).length;
  }
}

function codeOf({ Code: code }: Reason): CancelReason['code'] {
  return code === 'None' ? 'none' : code === 'ConditionalCheckFailed' ? 'condition' : 'conflict';
}

/** A row, whatever the order of its attributes. */
const text = (row: Row): string => JSON.stringify(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1)));
