import { describe, expect, it } from 'vitest';
import { runCli } from '../../../cli/run-cli.ts';
import type { ReconcileOptions, ReconcileReport } from '../../../operate/reconcile/reconcile.ts';
import { fakeTerminal } from '../../cli/fake-terminal.ts';

const environment = { NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'shop' };
const FOUND = {
  kind: 'two-places',
  found: 2,
  repaired: 0,
  changed: 0,
  left: 0,
  examples: [{ kind: 'two-places', subject: 'a \u001b[2J', says: 'jobs has it', outcome: 'found' }],
} as const;

async function nightcrew(args: readonly string[], report: Partial<ReconcileReport> = {}) {
  const asked: ReconcileOptions[] = [];
  const reconcile = async (options: ReconcileOptions = {}): Promise<ReconcileReport> => {
    asked.push(options);
    return Promise.resolve({ applied: options.apply === true, findings: [], rows: 1_234, failed: 0, ...report });
  };
  const terminal = fakeTerminal({ environment, admin: { reconcile } });
  const code = await runCli(['reconcile', ...args], terminal.io);
  return { code, out: terminal.out(), err: terminal.err(), asked };
}

describe('nightcrew reconcile', () => {
  it('is a dry run by default, and says how to repair', async () => {
    const { code, out, asked } = await nightcrew([], { findings: [FOUND] });
    expect([code, asked[0]?.apply]).toEqual([0, false]);
    expect(out).toContain('1,234 rows were looked at.');
    expect(out).toContain('two-places: a job has rows in two places');
    expect(out).toContain('a \\u001b[2J  found: jobs has it');
    expect(out).toContain('nothing was changed. --apply repairs what was found.');
  });

  it('says when everything fits together', async () => {
    const { code, out } = await nightcrew(['--apply']);
    expect([code, out.includes('Everything fits together.'), out.includes('dry run')]).toEqual([0, true, false]);
  });

  it('hands on copies, the instant of the restore, the rate, the reason and the actor', async () => {
    const words = ['--copy', 'jobs=a', '--copy', 'jobs=b', '--copy', 'timers=arn:aws:dynamodb:eu-west-1:123456789012:table/t=1'];
    const { asked } = await nightcrew([
      ...words,
      '--restored-to',
      '2026-01-31T08:00:00Z',
      '--rate',
      '50',
      '--reason',
      'why',
      '--actor',
      'me',
    ]);
    expect(asked).toEqual([
      expect.objectContaining({
        copies: { jobs: ['a', 'b'], timers: ['arn:aws:dynamodb:eu-west-1:123456789012:table/t=1'] },
        restoredTo: new Date('2026-01-31T08:00:00Z'),
        ratePerSecond: 50,
        reason: 'why',
        actor: 'me',
      }),
    ]);
  });

  it('prints what continues a run that was stopped, with the same options', async () => {
    const words = [
      '--apply',
      '--copy',
      'jobs=early',
      '--restored-to',
      '2026-01-31T08:00:00Z',
      '--rate',
      '5',
      '--reason',
      'restore of May',
      '--actor',
      'anna',
    ];
    const { code, out } = await nightcrew(words, { next: 'abc' });
    expect(code).toBe(130);
    expect(out).toContain(
      "To continue: nightcrew reconcile --apply --copy 'jobs=early' --restored-to 2026-01-31T08:00:00.000Z --rate 5 --reason 'restore of May' --actor anna --after abc",
    );
  });

  it.each([
    [{ findings: [{ ...FOUND, left: 1 }] }, 3],
    [{ findings: [{ ...FOUND, changed: 1 }] }, 3],
    [{ findings: [{ ...FOUND, repaired: 1 }] }, 0],
    [{ failed: 2, findings: [{ ...FOUND, left: 1 }] }, 1],
  ])('ends with the code that says what is left: %j', async (report, code) => {
    expect((await nightcrew(['--apply'], report)).code).toBe(code);
  });

  it('ends with 0 after a dry run, whatever is left, and prints the report as JSON', async () => {
    const { code, out } = await nightcrew(['--json'], { findings: [{ ...FOUND, left: 1 }] });
    expect([code, JSON.parse(out)]).toEqual([0, { applied: false, findings: [{ ...FOUND, left: 1 }], rows: 1_234, failed: 0 }]);
  });

  it.each(['control=x', 'jobs', 'jobs='])('refuses --copy %s, naming the tables', async (copy) => {
    const { code, err, asked } = await nightcrew(['--copy', copy]);
    expect([code, asked]).toEqual([2, []]);
    expect(err).toContain('jobs, timers, suspended, deadLetters');
  });
});
