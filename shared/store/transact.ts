import { StoreUnavailableError } from '../job/errors.ts';
import { sha256 } from '../job/hash.ts';
import type { CancelReason, Row, Tables, TransactTerms, Write } from '../ports/tables.ts';
import { addUpWrites } from './add-up-writes.ts';

/** The writes of a transaction by name, in this order: one, several, or none. */
export type NamedWrites<Name extends string = string> = { readonly [Each in Name]: Write | readonly Write[] | undefined };

/** A user's own items, as refusals name them. */
export const BESIDE: unique symbol = Symbol('beside');

/** A transaction that was not applied: nothing of it was written. */
export class Refused<Name extends string = string> {
  readonly applied = false;
  readonly #reasons: ReadonlyMap<string | typeof BESIDE, readonly CancelReason[]>;

  constructor(reasons: ReadonlyMap<string | typeof BESIDE, readonly CancelReason[]>) {
    this.#reasons = reasons;
  }

  /** Whether a condition failed, of the writes of that name. */
  failed(name: Name | typeof BESIDE): boolean {
    return this.#of(name).some(({ code }) => code === 'condition');
  }

  /** The row that the first failed condition of that name met; undefined if there was no row, or no condition failed. */
  row(name: Name): Row | undefined {
    return this.#of(name).find((reason) => reason.code === 'condition')?.row;
  }

  /** Whether nothing kept the writes of that name back: neither a condition nor another transaction. */
  spared(name: Name): boolean {
    return this.#of(name).every(({ code }) => code === 'none');
  }

  /** No condition failed: other transactions were in the way, and nothing is known about the rows. */
  get byConflict(): boolean {
    return [...this.#reasons.values()].flat().every(({ code }) => code !== 'condition');
  }

  /** What to throw when the caller does not try again. */
  error(): StoreUnavailableError {
    const codes = [...this.#reasons].map(([name, reasons]) => `${String(name)} ${reasons.map(({ code }) => code).join(' ')}`);
    return new StoreUnavailableError('transaction', new Error(`cancelled: ${codes.join(', ')}`));
  }

  #of(name: string | typeof BESIDE): readonly CancelReason[] {
    return this.#reasons.get(name) ?? [];
  }
}

/** What a transaction came to. */
export type Transacted<Name extends string> = { readonly applied: true } | Refused<Name>;

/**
 * Performs named writes in one transaction and reports refusals by name. Updates that only add to the same row become
 * one. `token` names the logical attempt: the same token and writes within ten minutes are applied once.
 */
export async function tryTransact<Name extends string>(
  tables: Tables,
  token: string,
  named: NamedWrites<Name>,
  terms?: TransactTerms,
): Promise<Transacted<Name>> {
  const groups = Object.entries<Write | readonly Write[] | undefined>(named).map(([name, given]) => [name, listOf(given)] as const);
  const planned = addUpWrites(groups.flatMap(([, group]) => group));
  const outcome = await tables.transact(planned.writes, sha256(token), terms);
  if (outcome.applied) return outcome;
  const { reasons } = outcome;
  const byName = groups.map(([name, group]) => [name, group.map((write) => planned.reasonOf(write, reasons) ?? NO_REASON)] as const);
  return new Refused<Name>(
    new Map<string | typeof BESIDE, readonly CancelReason[]>([...byName, [BESIDE, reasons.slice(planned.writes.length)]]),
  );
}

/** As `tryTransact`; throws StoreUnavailableError if only other transactions conflicted, which proves nothing about the rows. */
export async function transact<Name extends string>(
  tables: Tables,
  token: string,
  named: NamedWrites<Name>,
  terms?: TransactTerms,
): Promise<Transacted<Name>> {
  const outcome = await tryTransact(tables, token, named, terms);
  if (!outcome.applied && outcome.byConflict) throw outcome.error();
  return outcome;
}

const NO_REASON: CancelReason = { code: 'none' };

function listOf(given: Write | readonly Write[] | undefined): readonly Write[] {
  if (given === undefined) return [];
  return 'op' in given ? [given] : given;
}
