import { describe, expect, it } from 'vitest';
import { runCli } from '../../../cli/run-cli.ts';
import type { EraseOptions, EraseScope, ErasureReport } from '../../../operate/erase/erasure.ts';
import { fakeTerminal } from '../../cli/fake-terminal.ts';

const environment = { NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'shop' };
const ERASED = { deadLetters: 1_200, finished: 3, attempts: 0, events: 0, results: 0, errorTexts: 1 };

async function nightcrew(args: readonly string[], given: Partial<ErasureReport> = {}, answer?: string) {
  const asked: (EraseScope & EraseOptions)[] = [];
  const reportOf = (scope: EraseScope, options: EraseOptions): ErasureReport => ({
    ...(options.apply === true ? { id: 'the-id' } : {}),
    scope,
    status: options.apply === true ? 'done' : 'dry-run',
    erased: ERASED,
    cancelled: 0,
    live: 0,
    failed: 0,
    rows: 10,
    digest: options.apply === true ? 'abc' : '',
    startedAt: new Date(0),
    updatedAt: new Date(0),
    actor: 'anna',
    ...given,
  });
  const admin = {
    erase: async (scope: EraseScope, options: EraseOptions = {}) => {
      asked.push({ ...scope, ...options });
      return Promise.resolve(reportOf(scope, options));
    },
    resumeErasure: async (id: string, options: EraseOptions = {}) => {
      asked.push({ id, ...options });
      return Promise.resolve(id === 'the-id' ? reportOf({ tenant: 'acme' }, { apply: true }) : undefined);
    },
    erasure: async () => Promise.resolve(reportOf({ tenant: 'acme' }, { apply: true })),
    erasedJobs: async () => Promise.resolve({ steps: [{ at: new Date(0), ids: ['job-1', 'job-2'], digest: 'abc' }], next: '00000007' }),
  };
  const terminal = fakeTerminal({ environment, admin });
  if (answer !== undefined) Object.assign(terminal.io, { ask: async () => Promise.resolve(answer) });
  const code = await runCli(['erase', ...args], terminal.io);
  return { code, out: terminal.out(), err: terminal.err(), asked };
}

describe('nightcrew erase', () => {
  it('is a dry run by default, and says how to erase', async () => {
    const { code, out, asked } = await nightcrew(['--tenant', 'acme', '--type', 'mail.send'], { live: 2, schedules: 1 });
    expect([code, asked.length, asked[0]?.apply]).toEqual([0, 1, undefined]);
    expect(asked[0]).toMatchObject({ tenant: 'acme', type: 'mail.send' });
    expect(out).toContain('Dry run of type mail.send, tenant acme: nothing was written');
    expect(out).toContain('  1,200 dead letters');
    expect(out).toContain('2 live jobs have not ended');
    expect(out).toContain('1 schedule goes on enqueueing such jobs: delete it, it is not erased');
    expect(out).toContain('--apply erases.');
  });

  it('erases only after the name was typed once more', async () => {
    const words = ['--tenant', 'acme', '--apply', '--reason', 'ticket', '--cancel-live', '--rate', '50'];
    const refused = await nightcrew(words, {}, 'umbrella');
    expect([refused.code, refused.asked]).toEqual([2, []]);
    const done = await nightcrew(words, {}, 'acme');
    expect(done.code).toBe(0);
    expect(done.asked).toMatchObject([{ tenant: 'acme', apply: true, cancelLive: true, ratePerSecond: 50, reason: 'ticket' }]);
    expect(done.out).toContain('SHA-256 of the ids: abc');
    expect((await nightcrew(words)).err).toContain('use --yes');
  });

  it('tells by its exit code that live jobs were left, that rows failed, or that it was stopped', async () => {
    const words = ['--tenant', 'acme', '--apply', '--yes', '--reason', 'ticket'];
    expect((await nightcrew(words, { live: 1 })).code).toBe(3);
    expect((await nightcrew(words, { failed: 1 })).code).toBe(1);
    const stopped = await nightcrew(words, { status: 'stopped' });
    expect(stopped.code).not.toBe(0);
    expect(stopped.err).toContain('erase resume the-id');
  });

  it('leaves one that another process has resumed to that process', async () => {
    const { code, err } = await nightcrew(['--tenant', 'acme', '--apply', '--yes', '--reason', 'ticket'], { status: 'running' });
    expect([code, err]).toEqual([3, expect.stringContaining('Another process has resumed erasure the-id, and goes on with it.')]);
  });

  it('resumes one by its id, and shows one with the ids of its jobs', async () => {
    expect((await nightcrew(['resume', 'the-id', '--rate', '7'])).asked).toMatchObject([{ id: 'the-id', ratePerSecond: 7 }]);
    const unknown = await nightcrew(['resume', 'other']);
    expect([unknown.code, unknown.err.includes('there is no erasure')]).toEqual([3, true]);
    const shown = await nightcrew(['show', 'the-id']);
    expect(shown.out).toContain('  job-1\n  job-2\nMore: --after 00000007');
  });
});
