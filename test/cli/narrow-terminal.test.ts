import { beforeAll, expect, test } from 'vitest';
import { runCli } from '../../cli/run-cli.ts';
import { widthOf } from '../../cli/text/table.ts';
import { type Admin, createAdminOver } from '../../operate/admin.ts';
import { Rig } from '../support/rig.ts';
import { strewJobs } from '../support/strewn-jobs.ts';
import { fakeTerminal, NOON } from './fake-terminal.ts';

let admin: Admin;
beforeAll(async () => {
  const rig = new Rig();
  await strewJobs(rig.tables, rig.clock.now(), 147);
  const minute = {
    started: 1_200,
    completed: 1_180,
    retried: 17,
    dead: 3,
    cancelled: 2,
    expired: 5,
    skipped: 6,
    snoozed: 4,
    crashed: 1,
    fired: 90,
  };
  const group = { type: 'invoice.send', errorName: 'TimeoutError', message: 'connect timed out after 3000 ms', state: 'open' as const };
  admin = {
    ...createAdminOver(rig.deps),
    statistics: async () => [
      { at: new Date(NOON), worker: 'default', ...minute, delayMs: { p50: 1_200, p95: 61_000, max: 125_000 }, runMs: 61_000 },
    ],
    errorGroups: async () => ({
      groups: [
        {
          ...group,
          fingerprint: 'a'.repeat(22),
          frame: 'x',
          open: 15_516,
          seen: 20_016,
          redriven: 0,
          deleted: 0,
          firstSeen: new Date(NOON),
          lastSeen: new Date(NOON - 125_000),
          sample: 'x',
        },
      ],
      readUnits: 1,
    }),
  };
});

const LISTS = ['jobs list', 'dead-letters list', 'timers list', 'suspended list', 'stats', 'dead-letters groups'];

test.each(LISTS)('%s fits on 80 columns', async (line) => {
  const environment = { NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'shop', NO_COLOR: '1' };
  const terminal = fakeTerminal({ admin, environment, terminal: { out: true, err: true, columns: 80 } });
  expect(await runCli(line.split(' '), terminal.io)).toBe(0);
  const lines = terminal.out().split('\n');
  // The note below a table is a sentence, which may go on in a second line.
  const table = lines.slice(0, line === 'stats' ? -1 : -2);
  expect(table.length).toBeGreaterThan(1);
  expect(table.filter((text) => widthOf(text) > 80)).toEqual([]);
  if (line === 'dead-letters groups') expect(table[1]).toMatch(/≥15,516.*TimeoutError: connect timed/);
});
