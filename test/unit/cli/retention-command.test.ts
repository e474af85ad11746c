import { describe, expect, it } from 'vitest';
import { runCli } from '../../../cli/run-cli.ts';
import type { ListedRetention } from '../../../shared/features/retention/admin/retention-verbs.ts';
import { fakeTerminal } from '../../cli/fake-terminal.ts';
import { noting } from '../../cli/noting.ts';

const environment = { NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'shop' };

const RULES: readonly ListedRetention[] = [
  { scope: 'all', from: 'setting', days: 90 },
  { scope: 'type#mail.send', from: 'operator', days: 30, actor: 'anna', at: new Date(0), reason: 'ticket' },
  { scope: 'type#bad', from: 'operator', actor: 'anna', at: new Date(0) },
];

async function nightcrew(args: readonly string[], cleared: 'cleared' | 'not-set' = 'cleared') {
  const asked: unknown[] = [];
  const note = noting(asked);
  const admin = {
    setRetention: note('set', undefined),
    clearRetention: note('clear', cleared),
    previewRetention: note('preview', { removes: 1_200, noted: 3, oldest: new Date(0), complete: false, readUnits: 2_000 }),
    retention: note('list', RULES),
  };
  const terminal = fakeTerminal({ environment, admin });
  const code = await runCli(['retention', ...args], terminal.io);
  return { code, out: terminal.out(), err: terminal.err(), asked };
}

describe('nightcrew retention', () => {
  it('lists the rules, and the setting', async () => {
    const { code, out } = await nightcrew(['list']);
    expect(code).toBe(0);
    expect(out).toMatch(/all +90 +setting/);
    expect(out).toMatch(/type#mail\.send +30 +operator .*anna +ticket/);
    expect(out).toMatch(/type#bad +unreadable: keeps all/);
  });

  it('sets a rule of a type or of all', async () => {
    const { code, asked, out } = await nightcrew(['set', '30', '--type', 'mail.send', '--reason', 'ticket']);
    expect([code, asked]).toEqual([0, [['set', { type: 'mail.send' }, 30, expect.objectContaining({ reason: 'ticket' })]]]);
    expect(out).toContain('from its next run on');
    expect((await nightcrew(['set', '30', '--everything'])).asked).toMatchObject([['set', 'all', 30, {}]]);
    const { out: json } = await nightcrew(['set', '30', '--everything', '--json']);
    expect(JSON.parse(json)).toEqual({ scope: 'all', days: 30, outcome: 'set' });
  });

  it('counts with --dry-run, and writes nothing', async () => {
    const { code, asked, out } = await nightcrew(['set', '30', '--everything', '--dry-run']);
    expect([code, asked]).toEqual([0, [['preview', 'all', 30]]]);
    expect(out).toContain('at least 1,200 dead letters would be removed. Nothing was written.');
    expect(out).toContain('the oldest failed');
    expect(out).toContain('3 older ones stay');
    expect(JSON.parse((await nightcrew(['set', '30', '--everything', '--dry-run', '--json'])).out)).toMatchObject({ removes: 1_200 });
  });

  it('clears a rule, and says if there is none', async () => {
    expect(await nightcrew(['clear', '--everything'])).toMatchObject({ code: 0, asked: [['clear', 'all', {}]] });
    expect(await nightcrew(['clear', '--type', 'a', '--json'], 'not-set')).toMatchObject({ code: 3 });
  });

  it.each([
    [['set', '30'], 'use either --type or --everything'],
    [['set', '30', '--type', 'a', '--everything'], 'use either --type or --everything'],
    [['set', 'P30D', '--everything'], 'is not a number of days. Use a whole number.'],
    [['clear'], 'use either --type or --everything'],
  ])('refuses %j and calls nothing', async (args, message) => {
    const { code, err, asked } = await nightcrew(args);
    expect([code, asked]).toEqual([2, []]);
    expect(err).toContain(message);
  });
});
