import { systemTurn } from '../system.ts';

/** Why writes are made one by one, and what helps. */
export interface BatchRefusal {
  readonly reason: string;
  readonly fix: string;
}

/** The two requests that writes can share: conditional updates and deletes, and puts that have no condition. */
export type BatchKind = 'statements' | 'puts';

/** How writes are gathered into batches. */
export interface BatchTerms {
  /** Calls back when the present turn of the event loop has ended. Default: the machine's. */
  readonly afterTurn?: (run: () => void) => void;
  /** With fewer writes each goes by itself. Default: 2. */
  readonly least?: number;
  /** The one kind of writes that share requests. Default: both kinds. */
  readonly only?: BatchKind;
  /** Called once for each refusal. */
  readonly onRefused?: (refusal: BatchRefusal) => void;
}

const OPERATIONS: Readonly<Record<BatchKind, string>> = { statements: 'BatchExecuteStatement', puts: 'BatchWriteItem' };
const ACTIONS: Readonly<Record<BatchKind, string>> = {
  statements: 'dynamodb:PartiQLUpdate and dynamodb:PartiQLDelete',
  puts: 'dynamodb:BatchWriteItem',
};
const deniedFix = (kind: BatchKind): string =>
  `Grant ${ACTIONS[kind]} on the tables of the deployment, in the policy of the VPC endpoint too, or set batchWrites to 0.`;
const OF_ONE_FORM = 'The store does not take ';
const FORM_FIX = 'Nothing to do: these writes are made one by one. Set batchWrites to 0 for a store that takes no batches.';

/** The kind of batches that the reason of a refusal is about; undefined: one form of statement, and the others still share requests. */
export function refusedKind(reason: string): BatchKind | undefined {
  if (reason.startsWith(OF_ONE_FORM)) return undefined;
  return reason.includes(OPERATIONS.puts) ? 'puts' : 'statements';
}

/** The permissions that batches of a kind need. */
export const batchActions = (kind: BatchKind): string => ACTIONS[kind];

/**
 * What a process has learned of whether its store takes writes in batches. What was refused once is made one by one for as long as the
 * process lives.
 */
export class BatchSupport {
  readonly afterTurn: (run: () => void) => void;
  readonly least: number;
  /** The first refusal, if there was one. */
  refusal: BatchRefusal | undefined;
  readonly #onRefused: (refusal: BatchRefusal) => void;
  /** Texts of statements that the store has understood, the first row of which it refused each, and those that it does not take. */
  readonly #understood = new Set<string>();
  readonly #firstRefused = new Map<string, string>();
  readonly #refused = new Set<string>();
  readonly #on: Set<BatchKind>;

  constructor({ afterTurn = systemTurn, least = 2, only, onRefused = () => {} }: BatchTerms = {}) {
    this.afterTurn = afterTurn;
    this.least = least;
    this.#onRefused = onRefused;
    this.#on = new Set(only === undefined ? ['statements', 'puts'] : [only]);
  }

  /** Whether writes of this kind may share a request. */
  has(kind: BatchKind): boolean {
    return this.#on.has(kind);
  }

  /** Whether a statement of this text may share a request. */
  takes(text: string): boolean {
    return this.has('statements') && !this.#refused.has(text);
  }

  /** The store has answered a statement of this text: it was applied, or its condition failed. */
  understands(text: string): void {
    this.#understood.add(text);
  }

  /** The store refused a statement and has taken the same write by itself. One row may be odd; with a second one it is the form. */
  misunderstands(text: string, row: string, message: string): void {
    if (this.#understood.has(text) || this.#refused.has(text)) return;
    const first = this.#firstRefused.get(text) ?? row;
    this.#firstRefused.set(text, first);
    if (first === row) return;
    this.#refused.add(text);
    const refusal = { reason: `${OF_ONE_FORM}${text}: ${message}`, fix: FORM_FIX };
    this.refusal ??= refusal;
    this.#onRefused(refusal);
  }

  /** The store takes no batches of this kind at all from this process. */
  turnOff(kind: BatchKind, message: string): void {
    if (!this.#on.delete(kind)) return;
    // That batches are off says more than that one statement is.
    this.refusal = { reason: `The store refuses ${OPERATIONS[kind]}: ${message}`, fix: deniedFix(kind) };
    this.#onRefused(this.refusal);
  }
}
