import { describe, expect, it } from 'vitest';
import { runCli } from '../../../cli/run-cli.ts';
import type { AttemptListOptions, AttemptPage } from '../../../operate/attempts/attempt-filter.ts';
import { fakeTerminal, NOON } from '../../cli/fake-terminal.ts';

const environment = { NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'shop' };
const JOB = '019a8f3e-6f00-7abc-8def-0123456789ab';
const startedAt = new Date(NOON - 60_000);
const common = { jobId: JOB, type: 'mail', worker: 'default', attempt: 2, startedAt, endedAt: startedAt, requestId: 'r', runMs: 61_000 };
const PAGE: AttemptPage = {
  attempts: [
    { ...common, outcome: 'completed', tenant: 'acme' },
    { ...common, outcome: 'dead-lettered', reason: 'failed', error: { name: 'Error', message: 'no \u001b[2J', at: startedAt } },
  ],
  next: 'c-2',
  readUnits: 64,
  order: 'newest-first',
  dueFrom: new Date(0),
  dueTo: new Date(NOON),
};

async function nightcrew(...args: readonly string[]) {
  const asked: AttemptListOptions[] = [];
  const admin = { attempts: async (options: AttemptListOptions = {}) => (asked.push(options), Promise.resolve(PAGE)) };
  const terminal = fakeTerminal({ environment, admin, terminal: { out: false, err: false, columns: 200 } });
  const code = await runCli(['attempts', ...args], terminal.io);
  return { code, asked, out: terminal.out(), err: terminal.err() };
}

describe('nightcrew attempts', () => {
  it('shows a line for each, what the page cost and how to go on', async () => {
    const { code, out, asked } = await nightcrew();
    expect(code).toBe(0);
    expect(asked).toEqual([{}]);
    expect(out).toMatch(new RegExp(`2026-01-31 11:59:00 +1m 1s +completed +${JOB} +mail +2 +acme +default`));
    expect(out).toMatch(/dead-lettered .*failed, Error: no \\u001b\[2J/);
    expect(out).toContain('64 read units.\nThere is more: --after c-2\n');
  });

  it('takes every field of the filter', async () => {
    const line =
      '--type a --type b --worker w --tenant-prefix t --outcome retried --of-reason r --error-name e --fingerprint f --text x --with-error ' +
      '--min-run 30s --from 2h --to 1h --due-from 3d --due-to 30m --order slowest-first --limit 5 --after c --max-read-units 9';
    const { asked } = await nightcrew(...line.split(' '));
    const minutes = (count: number): Date => new Date(NOON - count * 60_000);
    expect(asked).toEqual([
      {
        type: ['a', 'b'],
        worker: 'w',
        tenant: { prefix: 't' },
        outcome: 'retried',
        reason: 'r',
        errorName: 'e',
        fingerprint: 'f',
        text: 'x',
        hasError: true,
        minRunMs: 30_000,
        from: minutes(120),
        to: minutes(60),
        dueFrom: minutes(4_320),
        dueTo: minutes(30),
        order: 'slowest-first',
        limit: 5,
        after: 'c',
        maxReadUnits: 9,
      },
    ]);
    expect((await nightcrew('--no-tenant', '--without-error')).asked).toEqual([{ tenant: null, hasError: false }]);
  });

  it.each([
    [['--type', ''], /the filter's type is empty/],
    [['--outcome', 'lost'], /--outcome "lost": use one of completed, retried/],
    [['--reason', 'r'], /use --of-reason/],
    [['--with-error', '--without-error'], /exclude each other/],
    [['--tenant', 'a', '--tenant-prefix', 'b'], /exclude each other/],
    [['--env-file', 'a', '--env-file', 'b', '--after', 'c'], /takes exactly one deployment/],
  ])('refuses %j', async (args, message) => {
    const { code, err, asked } = await nightcrew(...args);
    expect(code).toBe(2);
    expect(err).toMatch(message);
    expect(asked).toEqual([]);
  });
});
