import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EXIT } from '../../../cli/exit.ts';
import { COMMANDS } from '../../../cli/commands.ts';
import { runCli } from '../../../cli/run-cli.ts';
import { flagsOf, pathOf } from '../../../cli/verb-command.ts';
import type { Admin } from '../../../operate/admin.ts';
import { StoreUnavailableError } from '../../../shared/job/errors.ts';
import { PACKAGE_VERSION } from '../../../shared/config/package-version.ts';
import { fakeTerminal } from '../../cli/fake-terminal.ts';

const VERBS = COMMANDS.flatMap((command) =>
  (command.verbs ?? []).map((verb) => ({ command: command.name, verb, path: pathOf(command.name, verb) })),
);
const FLAGS = [...new Set(VERBS.flatMap(({ verb }) => flagsOf(verb).map(({ flags }) => flags.split(' ')[0] ?? '')))];
const CODES: readonly number[] = Object.values(EXIT);
// oxlint-disable-next-line no-control-regex -- what would steer a terminal
const STEERS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

/** An admin whose store never answers, whatever is asked. */
const down: Admin = new Proxy(async () => Promise.reject(new StoreUnavailableError('look', new Error('down'))), {
  get: () => down,
}) as unknown as Admin;

async function nightcrew(...args: readonly string[]) {
  const terminal = fakeTerminal({ environment: { NIGHTCREW_TABLES: '{}' }, openAdmin: () => down });
  const code = await runCli(args, terminal.io);
  return { code, out: terminal.out(), err: terminal.err() };
}

describe('the command line', () => {
  test.each(VERBS)('explains $path with every option that it takes', async ({ command, verb, path }) => {
    const { code, out } = await nightcrew(command, ...(verb.name === undefined ? [] : [verb.name]), '--help');
    expect(code).toBe(0);
    expect(out).toContain(`Usage: nightcrew ${path}`);
    for (const { flags } of flagsOf(verb)) expect(out).toContain(`  ${flags} `);
  });

  test.each(VERBS)('$path takes --json, and no two options of one name', ({ verb }) => {
    const names = flagsOf(verb).map(({ flags }) => flags.split(' ')[0]);
    expect(names).toContain('--json');
    expect(new Set(names).size).toBe(names.length);
  });

  test('names the values of an option that takes only some', async () => {
    const { out } = await nightcrew('schedules', 'put', '--help');
    expect(out).toContain('(coalesce, all, skip)');
  });

  test('lists every command and explains one by `help <command>`', async () => {
    const { out } = await nightcrew('--help');
    for (const { name } of COMMANDS) expect(out).toContain(`  ${name} `);
    expect((await nightcrew('help', 'jobs', 'list')).out).toContain('Usage: nightcrew jobs list');
  });

  test('tells its version', async () => {
    expect(await nightcrew('--version')).toEqual({ code: 0, out: `nightcrew ${PACKAGE_VERSION}\n`, err: '' });
  });

  test.each([
    ['job', 'Did you mean jobs?'],
    ['dead-leters', 'Did you mean dead-letters?'],
    ['docter', 'Did you mean doctor?'],
  ])('suggests the command that %s may mean', async (typed, meant) => {
    const { code, err } = await nightcrew(typed);
    expect([code, err.split('\n').length]).toEqual([2, 2]);
    expect(err).toContain(meant);
    expect((await nightcrew('frobnicate')).err).not.toContain('Did you mean');
  });

  test('says which verbs there are', async () => {
    expect(await nightcrew('jobs', 'lits')).toMatchObject({ code: 2, err: expect.stringContaining('use one of list, show') });
  });

  test('ends whatever it is given with an exit code and a text that steers no terminal', async () => {
    const word = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...FLAGS) },
      {
        weight: 2,
        arbitrary: fc.constantFrom('', '-', '--', '1', '2h', '__proto__', '--__proto__', '--constructor=1', '-x', '--no-json', '--help'),
      },
      { weight: 2, arbitrary: fc.string({ unit: 'binary' }) },
    );
    const line = fc.tuple(fc.constantFrom(...VERBS), fc.array(word, { maxLength: 6 }));
    await fc.assert(
      fc.asyncProperty(line, async ([{ command, verb }, words]) => {
        const { code, out, err } = await nightcrew(command, ...(verb.name === undefined ? [] : [verb.name]), ...words);
        expect(CODES).toContain(code);
        expect(`${out}${err}`).not.toMatch(STEERS);
        expect(err).not.toMatch(/is not a function|undefined|\[object|Cannot read/);
      }),
      { numRuns: 300 },
    );
  });
});
