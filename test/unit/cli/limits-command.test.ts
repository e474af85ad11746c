import { describe, expect, it } from 'vitest';
import { runCli } from '../../../cli/run-cli.ts';
import type { ListedLimit } from '../../../shared/features/limits/admin/limit-verbs.ts';
import { fakeTerminal } from '../../cli/fake-terminal.ts';
import { noting } from '../../cli/noting.ts';

const environment = { NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'shop' };

const LIMITS: readonly ListedLimit[] = [
  { limit: 'bank', n: 0, coded: 5, workers: ['api', 'default'], set: { n: 0, actor: 'anna', at: new Date(0), reason: 'down' } },
  { limit: 'mail', n: 100, coded: 100, perMs: 60_000, workers: ['default'] },
  { limit: 'typo', n: 3, workers: [], set: { n: 3, actor: 'ben', at: new Date(0) } },
  { limit: 'bad', workers: [], set: { actor: 'ben', at: new Date(0) } },
];

async function nightcrew(args: readonly string[], outcome: 'set' | 'cleared' | 'not-set' | 'conflict' = 'set') {
  const asked: unknown[] = [];
  const note = noting(asked);
  const admin = {
    setLimit: note('set', outcome as 'set' | 'conflict'),
    clearLimit: note('clear', outcome as 'cleared' | 'not-set' | 'conflict'),
    limitNumbers: note('list', LIMITS),
  };
  const terminal = fakeTerminal({ environment, admin });
  const code = await runCli(['limits', ...args], terminal.io);
  return { code, out: terminal.out(), err: terminal.err(), asked };
}

describe('nightcrew limits', () => {
  it('lists the numbers in force, those of the code, and who set them', async () => {
    const { code, out } = await nightcrew([]);
    expect(code).toBe(0);
    expect(out).toMatch(/bank +0 +5 +api, default .*anna +down/);
    expect(out).toMatch(/mail +100 +100 +60 s +default/);
    expect(out).toMatch(/typo +3 +unknown .*ben/);
    expect(out).toMatch(/bad +unknown .*ben +unreadable/);
  });

  it('sets a number, 0 too', async () => {
    const { code, asked, out } = await nightcrew(['set', 'bank', '--to', '0', '--reason', 'down']);
    expect([code, asked]).toEqual([0, [['set', 'bank', 0, expect.objectContaining({ reason: 'down' })]]]);
    expect(out).toContain('set; executors apply it within five seconds.');
    const { out: json } = await nightcrew(['set', 'bank', '--to', '7', '--json']);
    expect(JSON.parse(json)).toEqual({ limit: 'bank', n: 7, outcome: 'set' });
  });

  it('says with --dry-run what would change, and writes nothing', async () => {
    const { code, asked, out } = await nightcrew(['set', 'bank', '--to', '3', '--dry-run']);
    expect([code, asked]).toEqual([0, [['list']]]);
    expect(out).toContain('Dry run: bank from 0 to 3. Nothing was written.');
    expect((await nightcrew(['clear', 'bank', '--dry-run'])).out).toContain('bank from 0 to 5.');
    expect((await nightcrew(['set', 'new', '--to', '3', '--dry-run'])).out).toContain('from unknown to 3; no worker reported this limit.');
    expect((await nightcrew(['clear', 'typo', '--dry-run'])).out).toContain('from 3 to unknown; no worker reported this limit.');
    const { out: json } = await nightcrew(['clear', 'bank', '--dry-run', '--json']);
    expect(JSON.parse(json)).toEqual({ limit: 'bank', from: 0, to: 5, coded: 5 });
  });

  it('clears a number, and says if none is set or another operator was faster', async () => {
    expect(await nightcrew(['clear', 'bank'], 'cleared')).toMatchObject({ code: 0, asked: [['clear', 'bank', expect.anything()]] });
    expect(await nightcrew(['clear', 'bank'], 'not-set')).toMatchObject({ code: 3, out: 'not-set\n' });
    for (const args of [
      ['clear', 'bank'],
      ['set', 'bank', '--to', '1'],
    ]) {
      const { code, out } = await nightcrew(args, 'conflict');
      expect([code, out]).toEqual([3, expect.stringContaining('nothing was written')]);
    }
  });

  it.each([
    [['set', 'bank'], 'give the number with --to'],
    [['set', '--to', '1'], "missing required argument 'limit'"],
    [['set', 'bank', '--to', 'many'], 'is not a whole number'],
  ])('refuses %j and calls nothing', async (args, message) => {
    const { code, err, asked } = await nightcrew(args);
    expect([code, asked]).toEqual([2, []]);
    expect(err).toContain(message);
  });
});
