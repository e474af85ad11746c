import type { Pool } from 'pg';
import { TABLE_NAMES, TABLE_SPECS } from '../../shared/adapters/own/index.ts';
import { indexKey, tableName } from './sql-parts.ts';

/** DynamoDB's 400 KB, and room for the digits of numbers, which it counts in halves. */
const MAX_ROW_BYTES = 402 * 1024;

/** Any number, the same for all who create the tables. */
const SCHEMA_LOCK = 4_711;

/** Creates the tables, or does nothing: may run whenever a process starts. */
export async function createSchema(pool: Pool): Promise<void> {
  const tables = TABLE_NAMES.flatMap((name) => [
    // `applied` says of the last write whether its condition held: a statement returns only what a row has become.
    `CREATE TABLE IF NOT EXISTS ${tableName(name)} (
       pk text COLLATE "C" NOT NULL,
       sk text COLLATE "C" NOT NULL,
       item jsonb NOT NULL,
       applied boolean NOT NULL DEFAULT true,
       bytes int GENERATED ALWAYS AS (nightcrew_bytes(item)) STORED CHECK (bytes <= ${MAX_ROW_BYTES}),
       PRIMARY KEY (pk, sk))`,
    ...Object.entries(TABLE_SPECS[name].indexes).map(([index, { partition, sort }]) => {
      const keys = [partition, ...(sort === undefined ? [] : [sort])].map(indexKey);
      return `CREATE INDEX IF NOT EXISTS ${tableName(name)}_${index.toLowerCase()} ON ${tableName(name)} (${keys.join(', ')}, pk, sk)`;
    }),
  ]);
  const statements = [
    `SELECT pg_advisory_xact_lock(${SCHEMA_LOCK})`,
    `CREATE OR REPLACE FUNCTION nightcrew_bytes(item jsonb) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
       'SELECT coalesce(sum(octet_length(key) + octet_length(value)), 0)::int FROM jsonb_each_text(item)'`,
    ...tables,
    'CREATE TABLE IF NOT EXISTS nightcrew_tokens (token text PRIMARY KEY, writes text NOT NULL, until timestamptz NOT NULL)',
    `CREATE TABLE IF NOT EXISTS nightcrew_messages (
       id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
       queue text NOT NULL,
       group_hash text,
       body text NOT NULL,
       visible_at timestamptz NOT NULL,
       receives int NOT NULL DEFAULT 0,
       reason text)`,
    'CREATE INDEX IF NOT EXISTS nightcrew_messages_queue ON nightcrew_messages (queue, visible_at)',
    'CREATE INDEX IF NOT EXISTS nightcrew_messages_group ON nightcrew_messages (queue, group_hash, id)',
    'CREATE TABLE IF NOT EXISTS nightcrew_sent (id text PRIMARY KEY, until timestamptz NOT NULL)',
  ];
  // Several statements in one query are one transaction.
  await pool.query(statements.join(';\n'));
}

/** Deletes rows, tokens and notes that have expired. Nothing depends on it but space: once an hour is enough. */
export async function deleteExpired(pool: Pool): Promise<void> {
  for (const { name, ttl } of Object.values(TABLE_SPECS)) {
    if (ttl === undefined) continue;
    await pool.query(`DELETE FROM ${tableName(name)} WHERE (item ->> '${ttl}')::numeric < extract(epoch FROM now())`);
  }
  for (const table of ['nightcrew_tokens', 'nightcrew_sent']) await pool.query(`DELETE FROM ${table} WHERE until < now()`);
}
