import { describe, expect, test } from 'vitest';
import { runCli } from '../../../cli/run-cli.ts';
import { filterWords } from '../../../cli/jobs/filter-flags.ts';
import type { JobFilter, ListOptions } from '../../../operate/jobs/job-filter.ts';
import { fakeTerminal, NOON } from '../../cli/fake-terminal.ts';

/** What `jobs list` asks the admin for. */
async function asked(...args: readonly string[]): Promise<{ readonly options?: ListOptions; readonly code: number; readonly err: string }> {
  let options: ListOptions | undefined;
  const admin = {
    list: async (given?: ListOptions) => {
      options = given;
      return Promise.resolve({ jobs: [], readUnits: 1, order: 'none' as const, servedBy: 'scan of Jobs' });
    },
  };
  const terminal = fakeTerminal({ admin, environment: { NIGHTCREW_TABLES: '{}' } });
  const code = await runCli(['jobs', 'list', ...args], terminal.io);
  return { ...(options === undefined ? {} : { options }), code, err: terminal.err() };
}

/** One for every field: a new field of the filter does not compile without a flag. */
const FLAGS: { readonly [Field in keyof Required<JobFilter>]: readonly [args: readonly string[], value: JobFilter[Field]] } = {
  state: [
    ['--state', 'dead', '--state', 'suspended'],
    ['dead', 'suspended'],
  ],
  id: [['--id', 'a'], 'a'],
  type: [
    ['--type', 'a', '--type', 'b'],
    ['a', 'b'],
  ],
  tenant: [['--tenant', 'x'], 'x'],
  group: [['--group', 'g'], 'g'],
  correlationId: [['--correlation-id', 'c'], 'c'],
  batch: [['--batch', 'b'], 'b'],
  schedule: [['--schedule', 's'], 's'],
  worker: [['--worker', 'w'], 'w'],
  lane: [['--lane', 'l'], 'l'],
  fingerprint: [['--fingerprint', 'f'], 'f'],
  errorName: [['--error-name', 'TypeError'], 'TypeError'],
  reason: [['--of-reason', 'crash-loop'], 'crash-loop'],
  cause: [['--cause', 'type#a'], 'type#a'],
  outcome: [['--outcome', 'cancelled'], 'cancelled'],
  from: [['--from', '2h'], new Date(NOON - 7_200_000)],
  to: [['--to', '2026-01-31T00:00:00Z'], new Date(Date.UTC(2026, 0, 31))],
  text: [['--text', 'order 7'], 'order 7'],
  kind: [['--kind', 'timer'], 'timer'],
  lockOwner: [['--lock-owner', 'run/abc'], 'run/abc'],
  priority: [['--priority=-5..3'], { min: -5, max: 3 }],
  failures: [['--failures', '2..'], { min: 2 }],
  attempts: [['--attempts', '1'], 1],
  createdFrom: [['--created-from', '2h'], new Date(NOON - 7_200_000)],
  createdTo: [['--created-to', '2026-01-31T00:00:00Z'], new Date(Date.UTC(2026, 0, 31))],
  hasError: [['--without-error'], false],
  or: [
    ['--or', 'type=a&type=b&tenant=x', '--or', 'text=50%25&from=2h'],
    [
      { type: ['a', 'b'], tenant: 'x' },
      { text: '50%', from: new Date(NOON - 7_200_000) },
    ],
  ],
};

describe('the flags of a filter', () => {
  test.each(Object.entries(FLAGS))('say %s', async (field, [args, value]) => {
    expect((await asked(...args)).options).toEqual({ [field]: value });
  });

  test.each(['jobs list', 'jobs count', 'dead-letters list', 'dead-letters count'])(
    'never mean by --reason what an action means: %s refuses it and says what to use',
    async (line) => {
      for (const flag of [['--reason', 'crash-loop'], ['--reason=crash-loop']]) {
        const terminal = fakeTerminal({ environment: { NIGHTCREW_TABLES: '{}' } });
        expect(await runCli([...line.split(' '), ...flag], terminal.io)).toBe(2);
        expect(terminal.err()).toContain('use --of-reason');
      }
    },
  );

  test('say tenants by prefix, and jobs without one', async () => {
    expect((await asked('--tenant-prefix', 'eu-')).options).toEqual({ tenant: { prefix: 'eu-' } });
    expect((await asked('--no-tenant')).options).toEqual({ tenant: null });
    expect(await asked('--tenant-prefix', 'eu-', '--no-tenant')).toMatchObject({
      code: 2,
      err: expect.stringContaining('exclude each other'),
    });
  });

  test('say which error is meant, and the order of the list', async () => {
    expect((await asked('--with-error', '--order', 'oldest-first')).options).toEqual({ hasError: true, order: 'oldest-first' });
  });

  test('take a value that looks like an option after an equals sign', async () => {
    expect((await asked('--text=--yes')).options).toEqual({ text: '--yes' });
  });

  test.each([
    [['--state', 'died'], '--state "died": use one of waiting'],
    [['--outcome', 'won'], '--outcome "won": use one of completed'],
    [['--with-error', '--without-error'], 'exclude each other'],
    [['--order', 'upwards'], '--order "upwards": use one of newest-first'],
    [['--limit', 'many'], '--limit "many" is not a whole number'],
    [['--typ', 'x'], "unknown option '--typ' (Did you mean --type?)"],
    [['--type'], 'argument missing'],
    [['stray'], 'too many arguments'],
  ])('that cannot be read are named: %j', async (args, message) => {
    const { code, err, options } = await asked(...args);
    expect({ code, options }).toEqual({ code: 2 });
    expect(err).toContain(message);
    expect(err).toContain('nightcrew jobs list --help says more');
  });

  test.each([
    [['--priority', 'high'], 'priority: "high"'],
    [['--failures', '2-3'], '1..5'],
    [['--or', 'typ=mail'], 'typ'],
    [['--or', ''], 'or'],
    [['--or', 'or=x'], 'field=value'],
    [['--or', 'hasError=yes'], 'Use true or false'],
  ])('with a value that is none are refused, and nothing is asked: %j', async (args, message) => {
    const { code, err, options } = await asked(...args);
    expect({ code, options }).toEqual({ code: 2 });
    expect(err).toContain(message);
  });

  test('are told in words for the sentence that is confirmed', () => {
    expect(filterWords({ state: 'dead', type: ['a', 'b'], tenant: null, correlationId: 'c' })).toBe(
      ' with type a or b, no tenant, correlation id c',
    );
    expect(filterWords({ tenant: { prefix: 'eu-' } })).toBe(' with tenant beginning with eu-');
    expect(filterWords({ state: 'dead' })).toBe('');
    expect(
      filterWords({ priority: { min: 5 }, failures: 2, hasError: false, or: [{ type: 'a', state: 'dead' }, { hasError: true }] }),
    ).toBe(' with priority 5.., failures 2, no error, either (type a, state dead) or (an error)');
  });
});
