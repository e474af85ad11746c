import { describe, expect, test } from 'vitest';
import { operatorOutput } from '../../../cli/deployments/operator-output.ts';
import { runCli } from '../../../cli/run-cli.ts';
import type { CommandIo, Environment } from '../../../cli/command-io.ts';
import type { Admin } from '../../../operate/admin.ts';
import { StoreUnavailableError } from '../../../shared/job/errors.ts';
import { fakeTerminal } from '../../cli/fake-terminal.ts';

const output = (name: string): string =>
  JSON.stringify({
    environment: { NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: name },
    activation: { schedules: [], eventSourceMappings: [] },
  });
const counts = { waiting: 1, parked: 0, ready: 2, running: 0, suspended: 0, dead: 3, finished: 0, total: 6, complete: true, readUnits: 1 };

/** Two deployments by env files and two by stacks; the admin knows which one it is. */
async function nightcrew(args: readonly string[], given: Partial<CommandIo> & { readonly down?: string } = {}) {
  const opened: Environment[] = [];
  const files: Readonly<Record<string, string>> = {
    'a.env': "NIGHTCREW_TABLES='{}'\nNIGHTCREW_DEPLOYMENT=a\nAWS_REGION=eu-west-1\n",
    'b.env': "NIGHTCREW_TABLES='{}'\nNIGHTCREW_DEPLOYMENT=b\n",
  };
  const openAdmin: CommandIo['openAdmin'] = (environment) => {
    opened.push(environment);
    const name = environment['NIGHTCREW_DEPLOYMENT'];
    const count = async () =>
      name === given.down ? Promise.reject(new StoreUnavailableError('count', new Error('down'))) : Promise.resolve(counts);
    return { count, suspensions: async () => Promise.resolve([]) } as unknown as Admin;
  };
  const terminal = fakeTerminal({
    environment: { NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'here', NIGHTCREW_HISTORY: 'off', AWS_PROFILE: 'ops' },
    openAdmin,
    readText: async (path) => files[path] ?? Promise.reject(Object.assign(new Error('no'), { code: 'ENOENT' })),
    stackOutputs: async (stack) => Promise.resolve(new Map([['JobsOperator1A2B3C4D', output(stack)]])),
    ...given,
  });
  const code = await runCli(args, terminal.io);
  return { code, out: terminal.out(), err: terminal.err(), opened };
}

describe('which deployment is meant', () => {
  test('is that of the environment by default', async () => {
    const { opened, code } = await nightcrew(['jobs', 'count']);
    expect({ code, names: opened.map((one) => one['NIGHTCREW_DEPLOYMENT']) }).toEqual({ code: 0, names: ['here'] });
  });

  test('is that of a file, with nothing of the environment but region, endpoints and credentials', async () => {
    const { opened } = await nightcrew(['jobs', 'count', '--env-file', 'a.env']);
    expect(opened).toEqual([{ NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'a', AWS_REGION: 'eu-west-1', AWS_PROFILE: 'ops' }]);
  });

  test('is that of a stack', async () => {
    const { opened } = await nightcrew(['jobs', 'count', '--stack', 'shop']);
    expect(opened).toEqual([{ NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'shop', AWS_PROFILE: 'ops' }]);
  });

  test.each([
    [['--env-file', 'c.env'], {}, '--env-file "c.env" cannot be read (ENOENT)'],
    [['--stack', '/Jobs'], {}, 'names no stack'],
    [['--stack', 'shop'], { stackOutputs: async () => Promise.resolve(new Map()) }, 'has no output Operator'],
    [[], { environment: {} }, 'no deployment is named'],
    [[], { environment: { NIGHTCREW_TABLES: '{}', NIGHTCREW_ACTIVATION: 'x' } }, 'NIGHTCREW_ACTIVATION'],
  ])('is refused when it cannot be known: %j', async (args, given, message) => {
    const { code, out, err } = await nightcrew(['jobs', 'count', ...args], given);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
  });
});

describe('several deployments', () => {
  const both = ['--env-file', 'a.env', '--stack', 'shop'];

  test('stand side by side in one table, and by name in JSON', async () => {
    expect((await nightcrew(['jobs', 'count', ...both])).out).toMatch(/^DEPLOYMENT .*\na .*\nshop .*\n$/);
    expect(JSON.parse((await nightcrew(['jobs', 'count', '--json', ...both])).out)).toMatchObject({ a: { dead: 3 }, shop: { dead: 3 } });
  });

  test('are summed up when asked', async () => {
    expect(JSON.parse((await nightcrew(['jobs', 'count', '--sum', '--json', ...both])).out)).toMatchObject({
      dead: 6,
      total: 12,
      complete: true,
    });
  });

  test('are shown as far as they answer; the exit code and a message tell of the other', async () => {
    const { code, out, err } = await nightcrew(['jobs', 'count', '--sum', '--json', ...both], { down: 'a' });
    expect({ code, out: JSON.parse(out) as unknown }).toMatchObject({ code: 1, out: { dead: 3, complete: false } });
    expect(err).toBe('a: count: the store did not answer in time or throttled. (Error: down)\n');
  });

  test('of one name are told apart', async () => {
    const { out } = await nightcrew(['jobs', 'count', '--json', '--stack', 'shop', '--stack', 'shop/Jobs']);
    expect(Object.keys(JSON.parse(out) as object)).toEqual(['shop (shop)', 'shop (shop/Jobs)']);
  });

  test('do not share a cursor', async () => {
    expect(await nightcrew(['jobs', 'list', '--after', 'x', ...both])).toMatchObject({
      code: 2,
      err: expect.stringContaining('exactly one deployment'),
    });
  });

  test('are never changed together', async () => {
    expect(await nightcrew(['suspensions', 'end', '--type', 'x', ...both])).toMatchObject({
      code: 2,
      err: expect.stringContaining('exactly one deployment'),
      opened: [],
    });
  });
});

describe('the output of a stack', () => {
  const two = new Map([
    ['JobsOperator1A2B3C4D', output('a')],
    ['ShopMailOperator00FF00FF', output('b')],
    ['SiteUrl', 'https://example.org'],
    ['OldOperatorText', 'an operator'],
  ]);

  test('is that of the construct that is named, by its path', () => {
    expect(operatorOutput('s', 'Shop/Mail', two).environment['NIGHTCREW_DEPLOYMENT']).toBe('b');
  });

  test.each([[undefined], ['Other']])('is not guessed among several: %s', (construct) => {
    expect(() => operatorOutput('s', construct, two)).toThrow('has 2 deployments. Name one of s/Jobs, s/ShopMail.');
  });
});
