import { describe, expect, test } from 'vitest';
import { runCli } from '../../../cli/run-cli.ts';
import type { Admin } from '../../../operate/admin.ts';
import type { ErrorGroup } from '../../../shared/features/error-groups/admin/error-group.ts';
import type { Explanation } from '../../../operate/explain/explanation.ts';
import type { JobView } from '../../../operate/jobs/job-view.ts';
import type { JobPage } from '../../../operate/jobs/read-verbs.ts';
import type { MinuteStatistics } from '../../../shared/features/statistics/admin/statistics.ts';
import { fakeTerminal, NOON } from '../../cli/fake-terminal.ts';

const ID = '01a1ff1d-5686-7949-88c8-e8269ab9006e';
const NOTHING = { started: 0, completed: 0, retried: 0, dead: 0, cancelled: 0, expired: 0, skipped: 0, snoozed: 0, crashed: 0, fired: 0 };
const DEAD: JobView = {
  id: ID,
  type: 'mail',
  state: 'dead',
  worker: 'w',
  lane: 'l',
  priority: 0,
  attempts: 1,
  failures: 1,
  crashes: 0,
  rev: 1,
  dueAt: new Date(NOON),
  createdAt: new Date(NOON),
  failedAt: new Date(NOON),
};
const GROUP: ErrorGroup = {
  fingerprint: 'f',
  type: 't',
  errorName: 'E',
  message: 'm',
  state: 'open',
  open: 1,
  seen: 1,
  redriven: 0,
  deleted: 0,
  firstSeen: new Date(NOON),
  lastSeen: new Date(NOON),
  sample: ID,
};
const BOTH = ['--env-file', 'a.env', '--env-file', 'b.env'];

async function nightcrew(args: readonly string[], admins: Readonly<Record<'a' | 'b', Partial<Admin>>>) {
  const terminal = fakeTerminal({
    readText: async (path) => Promise.resolve(`NIGHTCREW_TABLES='{}'\nNIGHTCREW_DEPLOYMENT=${path.slice(0, 1)}\n`),
    openAdmin: ({ NIGHTCREW_DEPLOYMENT: name }) => admins[name as 'a' | 'b'] as Admin,
  });
  const code = await runCli([...args, ...BOTH], terminal.io);
  return { code, out: terminal.out(), err: terminal.err() };
}

/** Rows of a table as objects by its heads; columns begin where their heads begin or end where they end. */
function cellsOf(out: string): readonly Readonly<Record<string, string>>[] {
  const [head = '', ...lines] = out.trimEnd().split('\n');
  const heads = [...head.matchAll(/\S+( \S+)*/g)].map((match) => ({ name: match[0], at: match.index, end: match.index + match[0].length }));
  return lines.map((line) => {
    const words = [...line.matchAll(/\S+( \S+)*/g)].map((match) => ({
      text: match[0],
      at: match.index,
      end: match.index + match[0].length,
    }));
    return Object.fromEntries(
      words.map(({ text, at, end }) => [heads.find((one) => one.at === at || one.end === end)?.name ?? `nowhere: ${text}`, text]),
    );
  });
}

describe('a table of several deployments', () => {
  const minute = (more: Partial<MinuteStatistics>): MinuteStatistics => ({
    at: new Date(NOON),
    ...NOTHING,
    ...more,
  });
  const statistics = (more: Partial<MinuteStatistics>) => ({ statistics: async () => Promise.resolve([minute(more)]) });

  test('shows each number of the statistics under its own head', async () => {
    const { out } = await nightcrew(['stats'], {
      a: statistics({ started: 10, completed: 9, dead: 1 }),
      b: statistics({ started: 500, completed: 100, retried: 400, fired: 3, runMs: 12 }),
    });
    expect(cellsOf(out)).toMatchObject([
      { DEPLOYMENT: 'a', STARTED: '10', COMPLETED: '9', RETRIED: '0', DEAD: '1', FIRED: '0' },
      { DEPLOYMENT: 'b', STARTED: '500', COMPLETED: '100', RETRIED: '400', DEAD: '0', FIRED: '3', RUN: '12ms' },
    ]);
  });

  test('shows each text of a list of jobs under its own head', async () => {
    const page = (more: Partial<JobView>): JobPage => ({ jobs: [{ ...DEAD, ...more }], readUnits: 1, order: 'none', servedBy: 'x' });
    const { out } = await nightcrew(['dead-letters', 'list'], {
      a: { list: async () => Promise.resolve(page({ group: 'account/7' })) },
      b: { list: async () => Promise.resolve(page({ tenant: 'acme', reason: 'failed' })) },
    });
    expect(cellsOf(out).slice(0, 2)).toMatchObject([
      { DEPLOYMENT: 'a', GROUP: 'account/7' },
      { DEPLOYMENT: 'b', TENANT: 'acme', WHY: 'failed' },
    ]);
  });

  test('counts the same states in each row, and only those that were looked at', async () => {
    const none = {
      waiting: 0,
      parked: 0,
      ready: 0,
      running: 0,
      suspended: 0,
      dead: 0,
      finished: 0,
      total: 0,
      complete: true,
      readUnits: 1,
    };
    const counts = (more: object) => ({ count: async () => Promise.resolve({ ...none, ...more }) });
    const states = await nightcrew(['jobs', 'count', '--state', 'ready', '--state', 'finished'], {
      a: counts({ ready: 7, total: 7 }),
      b: counts({ ready: 1, finished: 5, total: 6 }),
    });
    expect(cellsOf(states.out)).toEqual([
      { DEPLOYMENT: 'a', READY: '7', FINISHED: '0', TOTAL: '7' },
      { DEPLOYMENT: 'b', READY: '1', FINISHED: '5', TOTAL: '6' },
    ]);
    const { out } = await nightcrew(['jobs', 'count', '--fingerprint', 'f'], { a: counts({}), b: counts({}) });
    expect(Object.keys(cellsOf(out)[0] ?? {})).toEqual(['DEPLOYMENT', 'DEAD', 'TOTAL']);
  });
});

describe('what lies in one of several deployments', () => {
  const down = async (): Promise<never> => Promise.reject(new Error('AccessDenied'));
  const nothing = async (): Promise<undefined> => Promise.resolve(undefined);
  const explanation: Explanation = {
    id: ID,
    state: 'dead',
    code: 'dead',
    text: 'It died.',
    next: { verb: 'redrive', by: 'operator' },
    facts: {},
    verbs: ['redrive'],
  };

  test.each([
    ['explain', ID],
    ['jobs show', ID],
    ['dead-letters group', 'f'],
    ['batches show', 'b'],
  ])('%s: is called nowhere only when all of them answered', async (line, id) => {
    const verbs = (answer: () => Promise<undefined>) =>
      ({ explain: answer, find: answer, errorGroup: answer, batch: answer }) as Partial<Admin>;
    const partly = await nightcrew([...line.split(' '), id], { a: verbs(nothing), b: verbs(down) });
    expect(partly).toMatchObject({ code: 1, err: 'b: AccessDenied\nThose that answered do not have it; the others may.\n' });
    expect(await nightcrew([...line.split(' '), id], { a: verbs(nothing), b: verbs(nothing) })).toMatchObject({
      code: 3,
      err: expect.stringMatching(/^No (job|error group|batch)/),
    });
  });

  test('is explained with commands for that deployment alone, which takes them', async () => {
    const { code, out } = await nightcrew(['explain', ID], {
      a: { explain: nothing },
      b: { explain: async () => Promise.resolve(explanation) },
    });
    expect(code).toBe(0);
    expect(out).toContain(`  you can: nightcrew dead-letters redrive ${ID} --env-file b.env\n`);
  });

  test('is an error group whose commands name that deployment', async () => {
    const { out } = await nightcrew(['dead-letters', 'group', 'f'], {
      a: { errorGroup: nothing },
      b: { errorGroup: async () => Promise.resolve(GROUP) },
    });
    expect(out).toContain(`sample: nightcrew dead-letters show ${ID} --env-file b.env\n`);
    expect(out).toContain('redrive all: nightcrew dead-letters redrive --fingerprint f --canary --env-file b.env\n');
  });
});
