import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../cli/commands.ts';
import { runCli } from '../../cli/run-cli.ts';
import { schedule, scheduled } from '../support/scheduled-rig.ts';
import { strewJobs } from '../support/strewn-jobs.ts';
import { fakeTerminal } from './fake-terminal.ts';

/** What stands for the argument of a verb that reads one thing. */
const ARGUMENTS: Readonly<Record<string, string>> = { 'schedules show': 'nightly', 'schedules preview': 'nightly' };
const NOWHERE = '01a1ff1d-5686-7949-88c8-e8269ab9006e';
/** Verbs of the machine and of foreign code, which have tests of their own. */
const APART = new Set(['doctor', 'console', 'dev', 'external', 'activate', 'deactivate', 'cost']);

const READING = COMMANDS.filter(({ name }) => !APART.has(name)).flatMap(({ name, verbs = [] }) =>
  verbs
    .filter((verb) => verb.changes !== true)
    .flatMap((verb) => {
      const path = verb.name === undefined ? name : `${name} ${verb.name}`;
      const line = verb.argument === undefined ? path : `${path} ${ARGUMENTS[path] ?? NOWHERE}`;
      const sums = (verb.flags ?? []).some(({ flags }) => flags === '--sum');
      return sums ? [line, `${line} --sum`] : [line];
    }),
);

describe('what --json prints', () => {
  test('is looked at for every verb that reads a deployment', () => expect(READING.length).toBeGreaterThan(20));

  test.each(READING)('%s: is an object, in which a list has a name', async (line) => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '* * * * *' }));
    await strewJobs(rig.tables, rig.clock.now(), 49);
    const terminal = fakeTerminal({ environment: { NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'shop' }, admin: rig.admin });
    await runCli([...line.split(' '), '--json'], terminal.io);
    const value: unknown = JSON.parse(terminal.out());
    expect(Array.isArray(value)).toBe(false);
    if (!line.endsWith(NOWHERE)) expect(value).toBeTypeOf('object');
  });
});
