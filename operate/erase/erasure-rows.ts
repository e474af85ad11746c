import { defined } from '../../shared/job/defined.ts';
import { iso, storedInstant } from '../../shared/job/instant.ts';
import type { Row, RowKey, Tables, Write } from '../../shared/ports/tables.ts';
import { noRow, unchanged } from '../../shared/store/conditions.ts';
import { readable } from '../../shared/store/row-codec.ts';
import { type NamedWrites, type Transacted, transact, tryTransact } from '../../shared/store/transact.ts';
import type { ErasedJobs } from './erasure.ts';
import { type ErasureState, parseState } from './erasure-state.ts';

const DAY_SECONDS = 86_400;
/** As long as the audit. */
const KEPT_DAYS = 400;
/** Partition that lists the erasures: their ids sort by when they began. */
const PARTITION = 'erasure';
/** The partition of the ids that an erasure removed, one row a step. */
const stepsOf = (id: string): string => `erasure#${id}`;
const stepKey = (step: number): string => String(step).padStart(8, '0');

/** Key of an erasure. */
export const erasureKey = (id: string): RowKey => ({ pk: PARTITION, sk: id });

/** It is proof of what an operator did, so it is kept as long as the audit. */
const expiry = (at: number): number => Math.ceil(at / 1_000) + KEPT_DAYS * DAY_SECONDS;

function headRow(state: ErasureState): Row {
  return { ...erasureKey(state.id), state: JSON.stringify(state), steps: state.steps, expiresAt: expiry(state.updatedAt) };
}

/** Writes a new erasure with its entry in the audit. Its id is fresh, so a row under it is what an earlier attempt of this call wrote. */
export async function beginErasure(tables: Tables, state: ErasureState, audit: readonly Write[]): Promise<void> {
  const put: Write = { op: 'put', table: 'control', row: headRow(state), condition: noRow('pk') };
  await transact(tables, `erase/${state.id}/begin`, { put, audit });
}

/** A step of an erasure, under a token of its own: what it removes, the ids of the jobs concerned, and entries of the audit. */
export interface ErasureStep {
  readonly token: string;
  readonly ids: readonly string[];
  readonly removes: readonly Write[];
  readonly audit?: readonly Write[];
}

/** Writes the state after a step together with what the step removes. The head is fenced by the number of the step before it. */
export async function saveErasure(
  tables: Tables,
  state: ErasureState,
  { token, ids, removes, audit }: ErasureStep,
): Promise<Transacted<'head' | 'removes' | 'proof' | 'audit'>> {
  const head: Write = { op: 'put', table: 'control', row: headRow(state), condition: unchanged('steps', state.steps - 1) };
  const { id, steps, digest, updatedAt } = state;
  const row = { pk: stepsOf(id), sk: stepKey(steps), at: iso(updatedAt), ids: ids.join(' '), digest, expiresAt: expiry(updatedAt) };
  const proof: Write | undefined = ids.length === 0 ? undefined : { op: 'put', table: 'control', row };
  const writes: NamedWrites<'head' | 'removes' | 'proof' | 'audit'> = { head, removes, proof, audit };
  return tryTransact(tables, token, writes);
}

/** An erasure by its id. Throws RowUnreadableError. */
export async function readErasure(tables: Tables, id: string): Promise<ErasureState | undefined> {
  const row = await tables.get('control', erasureKey(id));
  return row === undefined ? undefined : parseState(row['state']);
}

/** The last ones, newest first. A damaged row is left out and does not hide the others. */
export async function readErasures(tables: Tables, limit: number, before?: string): Promise<readonly ErasureState[]> {
  const found: ErasureState[] = [];
  let after: RowKey | undefined = before === undefined ? undefined : erasureKey(before);
  do {
    const query = { table: 'control', partition: PARTITION, limit: limit - found.length, newestFirst: true } as const;
    const page = await tables.query({ ...query, ...defined({ after }) });
    found.push(...page.rows.flatMap((row) => readable(() => parseState(row['state']))));
    after = page.cursor;
  } while (after !== undefined && found.length < limit);
  return found;
}

/** A page of the steps of an erasure, behind the step `after`. */
export async function readSteps(tables: Tables, id: string, limit: number, after?: string): Promise<ErasedJobs> {
  const start = after === undefined ? {} : { after: { pk: stepsOf(id), sk: after } };
  const { rows, cursor } = await tables.query({ table: 'control', partition: stepsOf(id), limit, ...start });
  const steps = rows.map((row) => ({
    at: new Date(storedInstant(row['at']) ?? 0),
    ids: String(row['ids']).split(' '),
    digest: String(row['digest']),
  }));
  return { steps, ...defined({ next: cursor?.['sk'] }) };
}
