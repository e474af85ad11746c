import { expect, it } from 'vitest';
import { ReadStoppedError, readUntil, stoppableReads } from '../../../operate/read-until.ts';
import { createMemoryTables } from '../../../shared/adapters/memory/tables.ts';
import type { Tables } from '../../../shared/ports/tables.ts';

it.each<[string, (tables: Tables) => Promise<unknown>]>([
  ['get', async (tables) => tables.get('jobs', { id: 'x' })],
  ['query', async (tables) => tables.query({ table: 'control', partition: 'p', limit: 1 })],
  ['scan', async (tables) => tables.scan({ table: 'jobs', segment: 0, segments: 1, limit: 1 })],
])('a %s is not begun once nobody waits for it', async (_name, read) => {
  const tables = stoppableReads(createMemoryTables());
  await readUntil(new AbortController().signal, async () => read(tables));
  await expect(readUntil(AbortSignal.abort(), async () => read(tables))).rejects.toThrow(ReadStoppedError);
});
