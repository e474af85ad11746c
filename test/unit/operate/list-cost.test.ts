import { expect, it } from 'vitest';
import { createAdminOver } from '../../../operate/admin.ts';
import type { Page } from '../../../shared/ports/tables.ts';
import { deadLetters } from '../../support/dead-letters.ts';

it('a list of dead letters tells what it cost, the look for their types included', async () => {
  const { rig } = await deadLetters(1);
  let spent = 0;
  const counted = async (answer: Promise<Page>): Promise<Page> => {
    const page = await answer;
    spent += page.readUnits;
    return page;
  };
  const { tables } = rig;
  const counting = {
    query: async (given: never) => counted(tables.query(given)),
    scan: async (given: never) => counted(tables.scan(given)),
  };
  const admin = createAdminOver({ ...rig.deps, tables: { ...tables, ...counting } });
  const { jobs, readUnits } = await admin.list({ state: 'dead' });
  expect([jobs.length, readUnits]).toEqual([2, spent]);
});

it('a list of dead letters reads no error groups if every alternative names its types', async () => {
  const { rig } = await deadLetters(1);
  const partitions: string[] = [];
  const query: typeof rig.tables.query = async (given) => (partitions.push(given.partition), rig.tables.query(given));
  const admin = createAdminOver({ ...rig.deps, tables: { ...rig.tables, query } });
  await admin.list({ state: 'dead', or: [{ type: 'a' }, { type: 'b' }] });
  expect(partitions).not.toContain('error-groups');
  await admin.list({ state: 'dead', or: [{ type: 'a' }, { tenant: 'x' }] });
  expect(partitions).toContain('error-groups');
});
