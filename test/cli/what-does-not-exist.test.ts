import { expect, it } from 'vitest';
import { runCli } from '../../cli/run-cli.ts';
import { createAdminOver } from '../../operate/admin.ts';
import { Rig } from '../support/rig.ts';
import { fakeTerminal } from './fake-terminal.ts';

const environment = { NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'shop' };

it.each([
  'batches seal gone',
  'batches cancel gone',
  'schedules preview gone',
  'schedules pause gone',
  'bulks resume gone',
  'dead-letters redrive 019b76da-a800-7a00-887f-bf7479cb86df',
])('a command about something that does not exist says so, and exits with 3: %s', async (line) => {
  const rig = new Rig();
  const terminal = fakeTerminal({ environment, admin: createAdminOver(rig.deps), now: () => rig.clock.now() });
  expect(await runCli(line.split(' '), terminal.io)).toBe(3);
  expect(terminal.out() + terminal.err()).toMatch(/gone|019b76da/);
  expect(terminal.err()).not.toContain('Usage');
  expect((await rig.rows('control')).filter(({ pk }) => !String(pk).startsWith('audit'))).toEqual([]);
});
