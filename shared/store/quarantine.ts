import { errorText } from '../job/error-text.ts';
import { fingerprint } from '../job/fingerprint.ts';
import { iso } from '../job/instant.ts';
import type { DeadLetter, Scalar } from '../job/job.ts';
import { isJobId, type JobId, jobIdFrom, leafOf } from '../job/job-id.ts';
import { cutToBytes, LIMITS } from '../job/size-limits.ts';
import { uniqueKeyHash } from '../job/unique-key.ts';
import { keyOf, TABLE_SPECS } from '../ports/table-spec.ts';
import type { Condition, Row, Tables, Write } from '../ports/tables.ts';
import { all, noRow } from './conditions.ts';
import { releaseKey } from './control-rows.ts';
import { endingWrites } from './endings.ts';
import { encodeError } from './job-codec.ts';
import { transact } from './transact.ts';

/** The maximum size of the kept part of a row without its payload; Nightcrew's own rows are far smaller. */
const RAW_BYTES = 64 * 1024;
/** What of a payload is kept, so that with the rest it fits into an item; Nightcrew writes none that is longer. */
const PAYLOAD_BYTES = LIMITS.itemBytes - RAW_BYTES - 16 * 1024;
const ROUNDS = 4;

/** The dead letter that a row became. */
export type QuarantinedRow = Pick<DeadLetter, 'id' | 'type'>;

/**
 * Moves an unreadable row to the dead letters, with its raw content, so that it does not block others, and frees its unique
 * key if that much can be read. It is deleted only if it is unchanged; undefined when it has changed or gone since, which is fine. A
 * dead letter that has its id already is not overwritten: the new one gets an id of its own.
 */
export async function quarantine(
  tables: Tables,
  table: 'jobs' | 'timers' | 'suspended',
  row: Row,
  problem: { readonly error: unknown; readonly now: number },
): Promise<QuarantinedRow | undefined> {
  const remove: Write = {
    op: 'delete',
    table,
    key: keyOf(TABLE_SPECS[table], row),
    condition: unchanged(row, TABLE_SPECS[table].partition),
  };
  const { id: first, given, fresh } = idsOf(table, row, problem.now);
  let id = first;
  let release = given === undefined ? [] : releaseOf(row, given);
  const counted = batchOf(row);
  for (let round = 0; round < ROUNDS; round++) {
    const put: Write = { op: 'put', table: 'deadLetters', row: { ...deadRow(row, id, problem), from: table }, condition: noRow('id') };
    const token = `quarantine/${table}/${problem.now}/${id}/${release.length}`;
    const outcome = await transact(tables, token, { row: remove, dead: put, key: release, batch: counted });
    if (outcome.applied) return { id, type: typeOf(row) };
    if (outcome.failed('row') || (outcome.failed('dead') && id === fresh)) return undefined;
    if (outcome.failed('dead')) id = fresh;
    if (outcome.failed('key')) release = [];
  }
  return undefined;
}

/** Under which id a row becomes a dead letter, unless that id is taken: its own, or `fresh`. */
export function idsOf(table: string, row: Row, now: number): { readonly id: JobId; readonly given?: JobId; readonly fresh: JobId } {
  const given = row['id'] ?? String(row['due'] ?? '').split('#')[1];
  const fresh = jobIdFrom(now, `${table}/${JSON.stringify(row)}`);
  return isJobId(given) ? { id: given, given, fresh } : { id: fresh, fresh };
}

/** The type of a row that cannot be read, as far as that can be. */
export function typeOf({ type }: Row): string {
  return typeof type === 'string' && type !== '' ? type.slice(0, LIMITS.typeChars).toWellFormed() : 'unreadable';
}

function deadRow(row: Row, id: JobId, problem: { readonly error: unknown; readonly now: number }): Record<string, Scalar> {
  const { payload, ...rest } = row;
  const error = errorText(problem.error, problem.now);
  const type = typeOf(row);
  const print = fingerprint(type, error);
  return {
    id,
    type,
    // Apart from the rest: JSON within JSON would grow past what a row can hold.
    ...(typeof payload === 'string' ? { payload: cutToBytes(payload, PAYLOAD_BYTES) } : {}),
    raw: cutToBytes(JSON.stringify(typeof payload === 'string' ? rest : row), RAW_BYTES),
    ...keptPlace(row),
    reason: 'unreadable',
    failedAt: iso(problem.now),
    fingerprint: print,
    typeLeaf: `${type}#${leafOf(id)}`,
    fingerprintLeaf: `${print}#${leafOf(id)}`,
    ...encodeError(error),
  };
}

/** A dead letter holds back its group, and deleting it lets the group go on: it keeps its place as far as that can be read. */
function keptPlace({ group, groupPlace }: Row): Record<string, string> {
  const isName = (value: unknown): value is string => typeof value === 'string' && value.length <= LIMITS.nameChars;
  return isName(group) && isName(groupPlace) ? { group, groupPlace } : {};
}

function batchOf({ batch, batchLeaf }: Row): Write[] {
  return typeof batch === 'string' && Number.isSafeInteger(batchLeaf)
    ? endingWrites({ id: '', batch, batchLeaf: Number(batchLeaf) }, 'failed')
    : [];
}

function releaseOf(row: Row, id: JobId): Write[] {
  const { type, tenant, key, keyExpiresAt } = row;
  if (typeof type !== 'string' || typeof key !== 'string' || keyExpiresAt !== undefined) return [];
  const hash = uniqueKeyHash(type, typeof tenant === 'string' ? tenant : undefined, key);
  return [releaseKey(hash, id)];
}

/** The attributes that every write changes, as they were read; a row without them is compared by its key alone. */
function unchanged(row: Row, partition: string): Condition {
  const marks = ['rev', 'lockOwner', 'lockExpiresAt'].filter((name) => row[name] !== undefined);
  const tests: Condition[] = marks.map((name) => ({ test: 'equals', attribute: name, value: row[name] as Scalar }));
  return tests.length > 0 ? all(...tests) : { test: 'present', attribute: partition };
}
