import { describe, expect, test } from 'vitest';
import { EXIT } from '../../../cli/exit.ts';
import { runCli } from '../../../cli/run-cli.ts';
import { fakeTerminal } from '../../cli/fake-terminal.ts';

async function nightcrew(args: readonly string[]) {
  const terminal = fakeTerminal({});
  const code = await runCli(['cost', ...args], terminal.io);
  return { code, out: terminal.out(), err: terminal.err() };
}

describe('nightcrew cost', () => {
  test.each([
    ['10M', 10_000_000],
    ['1.5m', 1_500_000],
    ['250k', 250_000],
    ['0.001M', 1_000],
    ['2B', 2_000_000_000],
    ['8.2B', 8_200_000_000],
    ['0', 0],
  ])('takes %s', async (text, jobs) => {
    const { code, out } = await nightcrew(['--jobs', text, '--json']);
    expect(code).toBe(EXIT.done);
    expect(JSON.parse(out)).toMatchObject({ work: { jobs, timers: 0 }, region: 'us-east-1' });
  });

  test.each([
    ['--jobs', '10Q'],
    ['--jobs', '-5'],
    ['--jobs', 'NaN'],
    ['--jobs', ''],
    ['--jobs', '1e6'],
    ['--jobs', '0.5'],
    ['--jobs', '1.0000001M'],
    ['--jobs', '9999B'],
    ['--timers', 'Infinity'],
    ['--item-kb', '0'],
    ['--item-kb', '391'],
    ['--per-batch', '0'],
    ['--per-batch', '11'],
    ['--history', 'sometimes'],
  ])('refuses %s %s and names the option', async (flag, value) => {
    const { code, out, err } = await nightcrew([flag, value]);
    expect([code, out]).toEqual([EXIT.usage, '']);
    expect(err).toContain(flag);
  });

  test('gives people a table with sums, and programs every line unrounded', async () => {
    const { out } = await nightcrew(['--jobs', '1M', '--history', 'off', '--no-monitoring']);
    expect(out).toContain('Total: $2.98 a month, $2.98 a million');
    expect(out).toContain('Assumed: a month has 30 days');
    const json = JSON.parse((await nightcrew(['--jobs', '1M', '--json'])).out) as { lines: { usd: number }[]; totalUsd: number };
    expect(json.lines.reduce((sum, { usd }) => sum + usd, 0)).toBeCloseTo(json.totalUsd, 10);
  });
});
