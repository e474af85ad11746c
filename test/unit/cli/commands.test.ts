import { describe, expect, test, vi } from 'vitest';
import { COMMANDS } from '../../../cli/commands.ts';
import { verbCommandWords } from '../../../cli/jobs/verb-commands.ts';
import { runCli } from '../../../cli/run-cli.ts';
import { spansOf } from '../../../cli/stats/spans.ts';
import { flagsOf } from '../../../cli/verb-command.ts';
import type { ConsoleStart } from '../../../cli/command-io.ts';
import type { Admin } from '../../../operate/admin.ts';
import type { Explanation } from '../../../operate/explain/explanation.ts';
import type { JobView } from '../../../operate/jobs/job-view.ts';
import type { JobPage } from '../../../operate/jobs/read-verbs.ts';
import type { MinuteStatistics } from '../../../shared/features/statistics/admin/statistics.ts';
import { StoreRefusedError } from '../../../shared/job/errors.ts';
import { fakeTerminal, NOON } from '../../cli/fake-terminal.ts';

const queue = 'https://sqs.eu-west-1.amazonaws.com/123456789012/shop-default';
const environment = {
  NIGHTCREW_TABLES: '{}',
  NIGHTCREW_DEPLOYMENT: 'shop',
  NIGHTCREW_WORKERS: JSON.stringify({ default: { lanes: { default: queue } } }),
};
const VERBS = [
  'redrive',
  'editPayload',
  'setRetries',
  'setDueDate',
  'setPriority',
  'delete',
  'cancel',
  'runNow',
  'resumeJob',
  'breakpoint',
];
const LOOKS = ['resume', 'blockedGroups', 'limits', 'workers', 'schedules.runNow', 'schedules.pause'];

async function nightcrew(args: readonly string[], given: Parameters<typeof fakeTerminal>[0] = {}) {
  const terminal = fakeTerminal({ environment, ...given });
  const code = await runCli(args, terminal.io);
  return { code, out: terminal.out(), err: terminal.err(), questions: terminal.questions };
}

describe('nightcrew explain', () => {
  const explanation: Explanation = {
    id: 'a',
    state: 'dead',
    code: 'dead',
    text: 'It died of \u001b[2J.',
    next: { verb: 'redrive', by: 'operator' },
    facts: { type: 'invoice.send' },
    verbs: ['redrive', 'editPayload', 'move'],
  };

  test('tells why, and the commands that would change it for the same deployment', async () => {
    const readText = async () => Promise.resolve("NIGHTCREW_TABLES='{}'");
    const { out } = await nightcrew(['explain', 'a', '--env-file', 'my prod.env'], {
      admin: { explain: async () => Promise.resolve(explanation) },
      readText,
    });
    expect(out).toContain('It died of \\u001b[2J.\n');
    expect(out).toContain("  you can: nightcrew dead-letters redrive a --env-file 'my prod.env'\n");
    expect(out).toContain('  you can: nightcrew dead-letters edit --redrive --payload <json> a');
    expect(out).toContain('  you can: nightcrew jobs move --to-worker <worker> a');
  });

  test('ends with 3 for a job that is nowhere', async () => {
    const nowhere = { admin: { explain: async () => Promise.resolve(undefined) } };
    expect(await nightcrew(['explain', 'a'], nowhere)).toMatchObject({ code: 3, out: '', err: expect.stringContaining('No job a') });
    expect(await nightcrew(['explain', 'a', '--json'], nowhere)).toMatchObject({ code: 3, out: 'null\n' });
  });

  test.each([...VERBS, ...LOOKS])('names a command that is there for %s', (name) => {
    for (const state of ['dead', 'waiting'] as const) {
      const [command, ...words] = verbCommandWords(name, { id: 'a', state }) ?? [];
      const verbs = COMMANDS.find((one) => one.name === command)?.verbs ?? [];
      const verb = verbs.find((one) => one.name === undefined || one.name === words[0]);
      const flags = verb === undefined ? [] : flagsOf(verb).map((one) => one.flags.split(' ')[0]);
      expect(verb).toBeDefined();
      expect(words.filter((word) => word.startsWith('--') && !flags.includes(word))).toEqual([]);
    }
  });
});

describe('colours', () => {
  const admin = {
    suspensions: async () => Promise.resolve([{ scope: 'all', reason: 'r', actor: 'a', state: 'in-force' as const, at: new Date(NOON) }]),
  };
  const terminal = { out: true, err: true, columns: 80 };

  test('are for terminals alone, and not for those who do not want them', async () => {
    const coloured = async (args: readonly string[], given = {}) =>
      (await nightcrew(['suspensions', ...args], { admin, terminal, ...given })).out.includes('\u001b[');
    expect(await coloured([])).toBe(true);
    expect(await coloured(['--no-color'])).toBe(false);
    expect(await coloured(['--json'])).toBe(false);
    expect(await coloured([], { environment: { ...environment, NO_COLOR: '1' } })).toBe(false);
    expect(await coloured([], { terminal: { ...terminal, out: false } })).toBe(false);
  });
});

describe('nightcrew deactivate', () => {
  const targets = { schedules: [{ name: 'tick', groupName: 'g' }], eventSourceMappings: ['uuid'] };
  const known = { ...environment, NIGHTCREW_ACTIVATION: JSON.stringify(targets) };
  const switched = (on: boolean) => ({
    schedules: { tick: on ? 'ENABLED' : 'DISABLED' },
    eventSourceMappings: { uuid: on ? 'Enabled' : 'Disabled' },
  });

  function deployment(on = true) {
    const done: string[] = [];
    const answer = (name: string, state: boolean) => async () => (done.push(name), Promise.resolve(switched(state)));
    const openActivation = async () =>
      Promise.resolve({ status: answer('status', on), activate: answer('activate', true), deactivate: answer('deactivate', false) });
    const admin = {
      switchDeployment: async (switching: string) => (done.push(`mark ${switching}`), Promise.resolve()),
      deploymentOff: async () => Promise.resolve(on ? undefined : { actor: 'anna', at: new Date(0), reason: 'down' }),
    };
    return { done, given: { admin, environment: known, openActivation } };
  }

  test('asks first, and does nothing without a yes', async () => {
    const { done, given } = deployment();
    expect(await nightcrew(['deactivate'], given)).toMatchObject({ code: 2 });
    expect(await nightcrew(['deactivate'], { ...given, answers: ['no'] })).toMatchObject({ code: 2 });
    expect(done).toEqual([]);
    const { code, out, questions } = await nightcrew(['deactivate'], { ...given, answers: ['yes'] });
    expect({ code, done }).toEqual({ code: 0, done: ['deactivate', 'mark deactivate'] });
    expect(questions[0]).toContain('No job of shop (account 123456789012, eu-west-1) will start in Lambda any more');
    expect(out).toBe('tick  DISABLED\nuuid  Disabled\n');
  });

  test('and activate say how it is switched, and fail when it is not as wanted', async () => {
    const { done, given } = deployment(false);
    expect(await nightcrew(['activate', '--status', '--json'], given)).toMatchObject({
      code: 0,
      out: `${JSON.stringify(switched(false))}\n`,
      err: 'switched off by anna at 1970-01-01T00:00:00.000Z: down\n',
    });
    expect(await nightcrew(['activate'], given)).toMatchObject({ code: 0 });
    expect(done).toEqual(['status', 'mark activate', 'activate']);
  });

  test('are not kept from switching by an audit that cannot be written, which they say', async () => {
    const { done, given } = deployment();
    const admin = {
      switchDeployment: async (): Promise<never> => Promise.reject(new StoreRefusedError('audit', new Error('AccessDenied'))),
    };
    const { code, err } = await nightcrew(['deactivate', '--yes'], { ...given, admin });
    expect({ code, done }).toEqual({ code: 0, done: ['deactivate'] });
    expect(err).toMatch(/^This action is not in the audit, and a later deployment of the stack may switch it on: .*AccessDenied/);
    const byRules = { ...environment, NIGHTCREW_ACTIVATION: JSON.stringify({ ...targets, schedules: [] }) };
    const { err: withRules } = await nightcrew(['deactivate', '--yes'], { ...given, admin, environment: byRules });
    expect(withRules).toMatch(/^This action is not in the audit, and ticks go on, and a later deployment of the stack may switch it on: /);
    expect((await nightcrew(['activate'], { ...given, admin })).err).toMatch(/and a mark that switches it off still holds: .*AccessDenied/);
  });

  test('says what is missing where the targets are not known', async () => {
    expect(await nightcrew(['activate'], { admin: {} })).toMatchObject({ code: 2, err: expect.stringContaining('--stack') });
  });
});

describe('nightcrew console', () => {
  async function started(args: readonly string[], given: Readonly<Record<string, string>> = environment) {
    const ended = new AbortController();
    const seen: { options?: ConsoleStart; closed: number } = { closed: 0 };
    const running = nightcrew(['console', ...args], {
      admin: {},
      environment: given,
      signal: ended.signal,
      startConsole: async (options) => {
        seen.options = options;
        return Promise.resolve({ url: 'http://127.0.0.1:7/#key', close: async () => Promise.resolve(void seen.closed++) });
      },
    });
    setImmediate(() => ended.abort());
    return { ...(await running), ...seen };
  }

  test('tells an unexpected error on standard error, without payloads', async () => {
    const ended = new AbortController();
    const { err } = await nightcrew(['console'], {
      admin: {},
      environment,
      signal: ended.signal,
      startConsole: async ({ onProblem }) => {
        onProblem('GET /jobs', new TypeError('password hunter2'));
        ended.abort();
        return Promise.resolve({ url: 'http://127.0.0.1:7/#key', close: async () => Promise.resolve() });
      },
    });
    expect(err).toMatch(/console: GET \/jobs\n {2}TypeError\n/);
    expect(err).not.toContain('hunter2');
  });

  test('is read-only and production unless told otherwise, runs until Ctrl-C, and closes', async () => {
    const { code, out, options, closed } = await started([]);
    expect({ code, closed }).toEqual({ code: 0, closed: 1 });
    expect(out).toContain('http://127.0.0.1:7/#key');
    expect(out).toContain('Read-only');
    expect(options).toMatchObject({
      write: false,
      port: 0,
      actor: 'ada',
      zone: 'UTC',
      place: { name: 'shop 123456789012 eu-west-1', production: true },
    });
  });

  test('takes what it is told', async () => {
    const { options } = await started(['--write', '--port', '8080', '--redact', 'iban', '--not-production', '--zone', 'Europe/Berlin']);
    expect(options).toMatchObject({ write: true, port: 8080, redact: ['iban'], zone: 'Europe/Berlin', place: { production: false } });
    expect(await started(['--port', '70000'])).toMatchObject({ code: 2 });
  });

  test('tells the console which words name its deployment on a command line', async () => {
    const ended = new AbortController();
    ended.abort();
    const places: unknown[] = [];
    await nightcrew(['console', '--env-file', 'shop.env'], {
      admin: {},
      readText: async () =>
        Promise.resolve(
          Object.entries(environment)
            .map(([name, value]) => `${name}='${value}'`)
            .join('\n'),
        ),
      signal: ended.signal,
      startConsole: async ({ place }) => {
        places.push(place.words);
        return Promise.resolve({ url: 'http://127.0.0.1:7/#key', close: async () => Promise.resolve() });
      },
    });
    expect(places).toEqual([['--env-file', 'shop.env']]);
  });

  test('knows a region on this machine', async () => {
    const { options } = await started([], { ...environment, AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:4566' });
    expect(options?.place).toEqual({ name: 'local', production: false, words: [] });
  });
});

describe('nightcrew list --all', () => {
  test('that Ctrl-C stopped after a page says what goes on, and ends with 130', async () => {
    const ended = new AbortController();
    ended.abort();
    const list = async () =>
      Promise.resolve({ jobs: [], next: 'cursor-1', readUnits: 1, order: 'none', servedBy: 'x' } as unknown as JobPage);
    const { code, err } = await nightcrew(['dead-letters', 'list', '--all', '--json'], { admin: { list }, signal: ended.signal });
    expect({ code, err }).toEqual({ code: 130, err: 'Not everything was listed. Continue with --after cursor-1\n' });
  });
});

describe('nightcrew edit', () => {
  test('reads the payload from an argument, a file or the standard input, and keeps its hands off what is no JSON', async () => {
    const given: unknown[] = [];
    const admin = { editPayload: async (_id: string, payload: unknown) => (given.push(payload), Promise.resolve('edited' as const)) };
    const readText = async (path: string) => Promise.resolve(path === '-' ? '{"from":"stdin"}' : `{"from":"${path}"}`);
    for (const payload of ['{"from":"argument"}', '@a.json', '-']) {
      expect(await nightcrew(['jobs', 'edit', 'a', '--payload', payload], { admin, readText })).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^a  edited\nChecked as JSON only: /) as string,
      });
    }
    expect(given).toEqual([{ from: 'argument' }, { from: 'a.json' }, { from: 'stdin' }]);
    expect(await nightcrew(['jobs', 'edit', 'a', '--payload', '{'], { admin })).toMatchObject({ code: 2 });
    expect(await nightcrew(['jobs', 'edit', 'a'], { admin })).toMatchObject({ code: 2 });
    expect(given).toHaveLength(3);
  });

  test('redrives with the edited payload in one write, which changes nothing when it is refused', async () => {
    const find = async () => Promise.resolve({ state: 'dead', rev: 4 } as unknown as JobView);
    const redrive = vi.fn<Admin['redrive']>(async () => Promise.resolve('changed'));
    const call = ['dead-letters', 'edit', 'a', '--payload', '1', '--redrive', '--rev', '3', '--reason', 'typo'];
    expect(await nightcrew(call, { admin: { find, redrive } })).toMatchObject({ code: 3, out: 'a  left alone: changed\n' });
    expect(redrive.mock.calls).toEqual([['a', { payload: 1, rev: 3, reason: 'typo', actor: expect.any(String) }]]);
  });
});

test('statistics are summed by hour; of percentiles the worst is kept, of run times the mean', () => {
  const minute = (at: number, started: number, p95: number, runMs: number): MinuteStatistics => ({
    at: new Date(at),
    started,
    completed: started,
    retried: 0,
    dead: 1,
    cancelled: 0,
    expired: 0,
    skipped: 0,
    snoozed: 0,
    crashed: 0,
    fired: 0,
    delayMs: { p50: 1, p95, max: p95 },
    runMs,
  });
  const spans = spansOf([minute(NOON + 60_000, 3, 10, 100), minute(NOON, 1, 50, 500), minute(NOON - 60_000, 1, 5, 5)], 'hour');
  expect(spans.map(({ at }) => at.getTime())).toEqual([NOON - 3_600_000, NOON]);
  expect(spans[1]).toMatchObject({ started: 4, completed: 4, dead: 2, delayMs: { p50: 1, p95: 50, max: 50 }, runMs: 200 });
});
