import { errorText } from '../core/error-text.ts';
import { fingerprint } from '../core/fingerprint.ts';
import { sha256 } from '../core/hash.ts';
import { iso } from '../core/instant.ts';
import type { Scalar } from '../core/job.ts';
import { isJobId, jobIdFrom, leafOf } from '../core/job-id.ts';
import { cutToBytes } from '../core/limits.ts';
import { keyOf, TABLE_SPECS } from '../ports/table-spec.ts';
import type { Condition, Row, Tables, Write } from '../ports/tables.ts';
import { all } from './conditions.ts';
import { encodeError } from './job-codec.ts';

const RAW_BYTES = 370 * 1024;

/**
 * Moves a row that cannot be read to the dead letters, with its raw content, so that its neighbours go on. It is deleted only
 * if it is unchanged. False when it changed or went meanwhile, which is fine.
 */
export async function quarantine(
  tables: Tables,
  table: 'jobs' | 'timers' | 'suspended',
  row: Row,
  problem: { error: unknown; now: number },
): Promise<boolean> {
  const key = keyOf(TABLE_SPECS[table], row);
  const raw = JSON.stringify(row);
  const given = row['id'] ?? String(row['due'] ?? '').split('#')[1];
  const id = isJobId(given) ? given : jobIdFrom(problem.now, raw);
  const error = errorText(problem.error, problem.now);
  const type = typeof row['type'] === 'string' ? row['type'].slice(0, 128) : 'unreadable';
  const print = fingerprint(type, error);
  const dead: Record<string, Scalar> = {
    id,
    type,
    raw: cutToBytes(raw, RAW_BYTES),
    reason: 'unreadable',
    failedAt: iso(problem.now),
    fingerprint: print,
    typeLeaf: `${type}#${leafOf(id)}`,
    fingerprintLeaf: `${print}#${leafOf(id)}`,
    from: table,
    ...encodeError(error),
  };
  const writes: Write[] = [
    { op: 'delete', table, key, condition: unchanged(row, TABLE_SPECS[table].partition) },
    { op: 'put', table: 'deadLetters', row: dead },
  ];
  const outcome = await tables.transact(writes, sha256(`quarantine/${table}/${raw}`));
  return outcome.applied;
}

/** The attributes that every write changes, as they were read; a row without them is compared by its key alone. */
function unchanged(row: Row, partition: string): Condition {
  const marks = ['rev', 'lockOwner', 'lockExpiresAt'].filter((name) => row[name] !== undefined);
  const tests: Condition[] = marks.map((name) => ({ test: 'equals', attribute: name, value: row[name] as Scalar }));
  return tests.length > 0 ? all(...tests) : { test: 'present', attribute: partition };
}
