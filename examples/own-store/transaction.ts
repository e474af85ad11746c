import { createHash } from 'node:crypto';
import type { PoolClient } from 'pg';
import {
  type CancelReason,
  StoreRefusedError,
  type TransactOutcome,
  type TransactTerms,
  type Write,
} from '../../shared/adapters/own/index.ts';
import { lockOf, takeLocks } from './locks.ts';
import { codeOf, writeRow } from './statements.ts';
import { keyParts } from './sql-parts.ts';

/** A statement of one's own in `complete({ transact })`: it must change a row, or the completion is refused. */
export interface OwnStatement {
  readonly text: string;
  readonly values?: readonly unknown[];
}

const TOKEN_LIFE = '10 minutes';

/** Makes all writes in a transaction that is open, or finds out why not. The caller ends it: commits if `applied`, else rolls back. */
export async function transactIn(
  client: PoolClient,
  writes: readonly Write[],
  token: string,
  terms: TransactTerms = {},
): Promise<TransactOutcome> {
  await takeLocks(client, writes.map(lockOfWrite), terms);
  if (await isKnown(client, token, hash(JSON.stringify(writes)))) return { applied: true, attempts: 1 };
  const reasons: CancelReason[] = [];
  const held = (): boolean => reasons.every(({ code }) => code === 'none');
  for (const write of writes) {
    const { applied, row } = await writeRow(client, write);
    reasons.push(applied ? { code: 'none' } : { code: 'condition', ...(row === undefined ? {} : { row }) });
  }
  // After a violated constraint PostgreSQL takes no further statement.
  for (const statement of (terms.beside ?? []) as readonly OwnStatement[]) {
    reasons.push(held() ? await runBeside(client, statement) : { code: 'none' });
  }
  return held() ? { applied: true, attempts: 1 } : { applied: false, reasons, attempts: 1 };
}

/** Notes a token, which the commit makes known. Throws StoreRefusedError if it is known with other writes. */
async function isKnown(client: PoolClient, token: string, writes: string): Promise<boolean> {
  const noted = await client.query(
    `INSERT INTO nightcrew_tokens AS old (token, writes, until) VALUES ($1, $2, now() + interval '${TOKEN_LIFE}')
     ON CONFLICT (token) DO UPDATE SET writes = excluded.writes, until = excluded.until WHERE old.until < now() RETURNING token`,
    [token, writes],
  );
  if (noted.rowCount === 1) return false;
  const known = await client.query<{ writes: string }>('SELECT writes FROM nightcrew_tokens WHERE token = $1', [token]);
  if (known.rows[0]?.writes !== writes) throw new StoreRefusedError('transact', new Error('the token was used for other writes'));
  return true;
}

/** A violated constraint, or a statement that changes nothing, refuses the transaction. */
async function runBeside(client: PoolClient, { text, values = [] }: OwnStatement): Promise<CancelReason> {
  try {
    const { rowCount } = await client.query(text, [...values]);
    return { code: rowCount === 0 ? 'condition' : 'none' };
  } catch (error) {
    if (codeOf(error).startsWith('23')) return { code: 'condition' };
    throw error;
  }
}

/** The lock of a row, also of one that is not there, which no other lock can hold. All writes take it, so that a check holds until the commit. */
export function lockOfWrite(write: Write): bigint {
  return lockOf([write.table, ...keyParts(write.table, write.op === 'put' ? write.row : write.key)]);
}

const hash = (text: string): string => createHash('sha256').update(text).digest('base64url');
