import { describe, expect, test } from 'vitest';
import { runCli } from '../../../cli/run-cli.ts';
import { progressText } from '../../../cli/jobs/progress.ts';
import type { CommandIo } from '../../../cli/command-io.ts';
import type { BulkAction, BulkOptions, BulkReport } from '../../../operate/bulk/bulk-verbs.ts';
import type { JobView } from '../../../operate/jobs/job-view.ts';
import type { JobFilter } from '../../../operate/jobs/job-filter.ts';
import { StoreRefusedError } from '../../../shared/job/errors.ts';
import { fakeTerminal, NOON } from '../../cli/fake-terminal.ts';

interface Asked {
  readonly action: BulkAction;
  readonly filter: JobFilter;
  readonly options: BulkOptions;
}

/** An admin with that many dead letters, and what it was asked. */
function deployment(matched: number, outcome: Partial<BulkReport> = {}) {
  const calls: Asked[] = [];
  const bulk = async (action: BulkAction, filter: JobFilter, options: BulkOptions = {}): Promise<BulkReport> => {
    calls.push({ action, filter, options });
    const counts = { matched, done: options.dryRun === true ? 0 : matched, leftAlone: {}, failed: 0, readUnits: 1 };
    options.onProgress?.(counts);
    const times = { startedAt: new Date(NOON), updatedAt: new Date(NOON) };
    const plain = { ...counts, action, filter, complete: true, failures: [], actor: options.actor ?? 'operator', ...times };
    return Promise.resolve(
      options.dryRun === true ? { ...plain, status: 'dry-run' } : { ...plain, id: 'bulk-1', status: 'done', ...outcome },
    );
  };
  const find = async (): Promise<JobView> => Promise.resolve({ state: 'dead' } as JobView);
  return { calls, admin: { bulk, find } };
}

async function nightcrew(args: readonly string[], given: Parameters<typeof fakeTerminal>[0]) {
  const terminal = fakeTerminal({ environment: { NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'shop-prod' }, ...given });
  const code = await runCli(args, terminal.io);
  return { code, out: terminal.out(), err: terminal.err(), questions: terminal.questions };
}

const [A, B] = ['01a1ff1d-5686-7949-88c8-e8269ab9006e', '01a1ff1d-568f-74f3-8f63-f83c6d794bd9'] as const;
const REDRIVE = ['dead-letters', 'redrive', '--type', 'invoice.send'];

describe('a bulk verb', () => {
  test('counts first, asks with the number, and acts when the number is typed', async () => {
    const { calls, admin } = deployment(1234);
    const { code, questions } = await nightcrew([...REDRIVE, '--rate', '50', '--canary', '--reason', 'repaired'], {
      admin,
      answers: ['1,234'],
    });
    expect(questions).toEqual(['1,234 dead letters with type invoice.send will be redriven in shop-prod. Type the number to go on: ']);
    expect(calls.map(({ options }) => options.dryRun)).toEqual([true, undefined]);
    expect(calls[1]).toMatchObject({
      action: { verb: 'redrive' },
      filter: { state: 'dead', type: 'invoice.send' },
      // Not more than was confirmed, although more may match by now.
      options: { ratePerSecond: 50, canary: true, reason: 'repaired', actor: 'ada', limit: 1234 },
    });
    expect(code).toBe(0);
  });

  test.each([
    ['nobody is there', []],
    ['another number is typed', ['1233']],
    ['yes is typed', ['yes']],
    ['nothing is typed', ['']],
  ])('writes nothing and ends with 2 when %s', async (_, answers) => {
    const { calls, admin } = deployment(1234);
    const { code, out } = await nightcrew(REDRIVE, { admin, answers });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(calls.map(({ options }) => options.dryRun)).toEqual([true]);
  });

  test('does not ask with --yes, nor where nothing matches', async () => {
    const { calls, admin } = deployment(7);
    expect(await nightcrew([...REDRIVE, '--yes', '--actor', 'bot', '--limit', '5'], { admin })).toMatchObject({ code: 0, questions: [] });
    expect(calls[1]?.options).toMatchObject({ actor: 'bot', limit: 5 });
    expect(await nightcrew(REDRIVE, { admin: deployment(0).admin })).toMatchObject({ code: 0, out: 'Nothing matches.\n', questions: [] });
  });

  test('only counts with --dry-run', async () => {
    const { calls, admin } = deployment(1);
    expect((await nightcrew([...REDRIVE, '--dry-run'], { admin })).out).toBe(
      '1 dead letter with type invoice.send would be redriven in shop-prod.\n',
    );
    expect(calls).toHaveLength(1);
  });

  test('prints what resumes it when Ctrl-C stopped it after a page', async () => {
    const { admin } = deployment(9, { status: 'stopped', done: 4 });
    const stack = { stackOutputs: async () => Promise.resolve(new Map([['JobsOperator1A2B3C4D', '{"environment":{}}']])) };
    const { code, err } = await nightcrew([...REDRIVE, '--yes', '--stack', "it's mine"], { admin, ...stack });
    expect(code).toBe(130);
    expect(err).toBe("To continue: nightcrew bulks resume bulk-1 --stack 'it'\\''s mine'\n");
  });

  test.each<[string, Partial<BulkReport>, number]>([
    ['some failed', { failed: 1, failures: [{ id: 'a', error: 'down' }] }, 1],
    ['its canary failed', { status: 'canary-failed', canary: { id: 'a', outcome: 'dead' } }, 1],
    ['every one was left alone', { done: 0, leftAlone: { running: 3 } }, 3],
    ['some were left alone', { done: 2, leftAlone: { running: 1 } }, 0],
  ])('ends with its own code when %s', async (_, outcome, code) => {
    expect(await nightcrew([...REDRIVE, '--yes'], { admin: deployment(3, outcome).admin })).toMatchObject({ code });
  });

  test('gives one JSON document to scripts', async () => {
    const { out } = await nightcrew([...REDRIVE, '--yes', '--json'], { admin: deployment(3).admin });
    expect(JSON.parse(out)).toMatchObject({ id: 'bulk-1', status: 'done', matched: 3, startedAt: '2026-01-31T12:00:00.000Z' });
  });

  test('says what --limit leaves of it', async () => {
    const { questions } = await nightcrew([...REDRIVE, '--limit', '5'], {
      admin: deployment(5, { complete: false }).admin,
      answers: ['5'],
    });
    expect(questions[0]).toMatch(/^5 dead letters with type invoice.send, no more, will be redriven/);
  });

  test('takes ids or a filter, not both, and nothing at all only by the admin', async () => {
    const { admin } = deployment(1);
    expect(await nightcrew([...REDRIVE, A], { admin })).toMatchObject({ code: 2, err: expect.stringContaining('ids or a filter') });
  });

  test('acts on ids one by one, tells each, and ends with 3 when one was left alone', async () => {
    const admin = { redrive: async (id: string) => Promise.resolve(id === A ? ('redriven' as const) : ('not-found' as const)) };
    const { code, out } = await nightcrew(['dead-letters', 'redrive', A, B, A], { admin });
    expect({ code, out }).toEqual({ code: 3, out: `${A}  redriven\n${B}  left alone: not-found\n` });
    const json = await nightcrew(['dead-letters', 'redrive', A, '--json'], { admin });
    expect({ code: json.code, out: JSON.parse(json.out) as unknown }).toEqual({
      code: 0,
      out: { jobs: [{ id: A, outcome: 'redriven', done: true }] },
    });
  });

  test('checks every id before it touches the first', async () => {
    const redrive = async (): Promise<never> => Promise.reject(new Error('touched'));
    const { code, err } = await nightcrew(['dead-letters', 'redrive', A, 'b'], { admin: { redrive } });
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('id: "b" is not valid') });
  });

  test('tells what lies at the bottom of a store that does not answer', async () => {
    const cause = Object.assign(new Error('The security token is \u001bexpired'), { name: 'ExpiredTokenException' });
    const redrive = async (): Promise<never> => Promise.reject(new StoreRefusedError('read', cause));
    const { code, err } = await nightcrew(['dead-letters', 'redrive', A], { admin: { redrive } });
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining('(ExpiredTokenException: The security token is \\u001bexpired)'),
    });
  });

  test('uses the bulk verb over ids for what the verb for one does not take', async () => {
    const { calls, admin } = deployment(2);
    await nightcrew(['dead-letters', 'redrive', A, B, '--reason', 'repaired'], { admin });
    expect(calls).toMatchObject([{ filter: { id: [A, B] }, options: { reason: 'repaired' } }]);
    await nightcrew(['jobs', 'cancel', A], { admin: { ...admin, find: async () => Promise.resolve({ state: 'running' } as JobView) } });
    expect(calls[1]).toMatchObject({ action: { verb: 'cancel' }, filter: { id: [A] } });
  });
});

describe('progress', () => {
  const counts = { matched: 1234, done: 560, leftAlone: { running: 2 }, failed: 1, readUnits: 9 };

  test('is a bar with what is left, no wider than the terminal', () => {
    const text = progressText('redrive', counts, { total: 1234, tookMs: 10_000, columns: 200 });
    expect(text).toBe('redrive [###########-------------] 563 of 1,234, 2 left alone, 1 failed, 56 a second, 11s left');
    expect(progressText('redrive', counts, { total: 1234, tookMs: 10_000, columns: 40 })).toHaveLength(39);
  });

  test('counts where the total is not known', () => {
    expect(progressText('counting', { ...counts, done: 0, failed: 0, leftAlone: {} }, { total: undefined, tookMs: 10, columns: 99 })).toBe(
      'counting 1,234 matched',
    );
  });

  test('goes to a terminal alone', async () => {
    const terminal = (err: boolean): Pick<CommandIo, 'terminal'> => ({ terminal: { out: false, err, columns: 80 } });
    expect((await nightcrew([...REDRIVE, '--yes'], { admin: deployment(3).admin, ...terminal(true) })).err).toContain('\r');
    expect((await nightcrew([...REDRIVE, '--yes'], { admin: deployment(3).admin, ...terminal(false) })).err).toBe('');
  });
});

describe('bulks resume', () => {
  test('of one that a dead process still holds says until when, does nothing, and ends with 3', async () => {
    const held: BulkReport = {
      id: 'bulk-1',
      action: { verb: 'redrive' },
      filter: {},
      status: 'running',
      complete: false,
      failures: [],
      actor: 'ada',
      matched: 50,
      done: 40,
      leftAlone: {},
      failed: 0,
      readUnits: 1,
      startedAt: new Date(NOON),
      updatedAt: new Date(NOON),
      heldUntil: new Date(NOON + 41_000),
    };
    const answer = await nightcrew(['bulks', 'resume', 'bulk-1'], { admin: { resumeBulk: async () => Promise.resolve(held) } });
    expect(answer.code).toBe(3);
    expect(answer.err).toContain('Another process holds it until 2026-01-31 12:00:41 UTC (in 41s)');
    expect(answer.err).toContain('nightcrew bulks resume bulk-1');
  });
});
