import { describe, expect, it } from 'vitest';
import { runCli } from '../../../cli/run-cli.ts';
import type { NamedStatistics } from '../../../shared/features/statistics/admin/statistics.ts';
import { fakeTerminal, NOON } from '../../cli/fake-terminal.ts';

const environment = { NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'shop' };
const SUMS: readonly NamedStatistics[] = [
  { name: 'a \u001b[2J', started: 1_234, completed: 1_200, retried: 30, dead: 4, runMs: 61_000 },
  { started: 5, completed: 5, retried: 0, dead: 0 },
];

async function nightcrew(args: readonly string[], sums = SUMS) {
  const asked: unknown[] = [];
  const admin = { statisticsBy: async (...given: readonly unknown[]) => (asked.push(given), Promise.resolve({ sums })) };
  const terminal = fakeTerminal({ environment, admin });
  const code = await runCli(['stats', ...args], terminal.io);
  return { code, asked, out: terminal.out(), err: terminal.err() };
}

const hours = (count: number): Date => new Date(NOON - count * 3_600_000);

describe('nightcrew stats types and tenants', () => {
  it('show a line for each, and the others last', async () => {
    const { code, out, asked } = await nightcrew(['types']);
    expect([code, asked]).toEqual([0, [['type', { from: hours(1), to: hours(0) }]]]);
    expect(out).toMatch(/TYPE +STARTED +COMPLETED +RETRIED +DEAD +RUN/);
    expect(out).toMatch(/a \\u001b\[2J +1,234 +1,200 +30 +4 +1m 1s\n\(others\) +5 +5 +0 +0/);
  });

  it('take a time and a worker, and say what to set where there is nothing', async () => {
    const { out, asked } = await nightcrew(['tenants', '--from', '3h', '--to', '1h', '--worker', 'films'], []);
    expect(asked).toEqual([['tenant', { from: hours(3), to: hours(1), worker: 'films' }]]);
    expect(out).toBe('Nothing ran, or the setting statistics is not 3.\n');
    expect((await nightcrew(['types'], [])).out).toContain('is not 2 or 3.');
    expect(await nightcrew(['types', '--from', '1h', '--to', '2h'])).toMatchObject({ code: 2, asked: [] });
  });
});
