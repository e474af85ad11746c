import { describe, expect, test } from 'vitest';
import { EXIT } from '../../../cli/exit.ts';
import { PRICES } from '../../../cli/cost/prices.ts';
import { runCli } from '../../../cli/run-cli.ts';
import { fakeTerminal } from '../../cli/fake-terminal.ts';

async function nightcrew(args: readonly string[], given: Parameters<typeof fakeTerminal>[0] = {}) {
  const terminal = fakeTerminal(given);
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
    ['--backlog', '-1k'],
    ['--timer-days', '-1'],
    ['--item-kb', '0'],
    ['--item-kb', '391'],
    ['--per-send', '11'],
    ['--per-batch', '0'],
    ['--handler-ms', 'NaN'],
    ['--history-days', '366'],
    ['--history', 'sometimes'],
    ['--also', 'luck=1M'],
    ['--also', 'snooze'],
    ['--also', 'snooze=-1'],
    ['--also', 'group=1'],
  ])('refuses %s %s and names the option', async (flag, value) => {
    const { code, out, err } = await nightcrew([flag, value]);
    expect([code, out]).toEqual([EXIT.usage, '']);
    expect(err).toContain(flag);
  });

  test('gives people a table with sums, and programs every line unrounded', async () => {
    const { out } = await nightcrew(['--jobs', '1M', '--history', 'off', '--no-alarms', '--no-dashboard', '--no-metrics', '--no-tracing']);
    expect(out).toContain('Total: $2.98 a month, $2.98 a million');
    expect(out).toContain('Assumed: a month has 30 days');
    const json = JSON.parse((await nightcrew(['--jobs', '1M', '--json'])).out) as { lines: { usd: number }[]; totalUsd: number };
    expect(json.lines.reduce((sum, { usd }) => sum + usd, 0)).toBeCloseTo(json.totalUsd, 10);
  });

  test('asks no deployment, and tells where each price comes from', async () => {
    const { code, out } = await nightcrew(['prices']);
    expect(code).toBe(EXIT.done);
    for (const { source, unit } of Object.values(PRICES)) expect([out.includes(source), out.includes(unit)]).toEqual([true, true]);
  });

  test('compares ten million jobs and a million timers unless told otherwise', async () => {
    expect(JSON.parse((await nightcrew(['compare', '--json'])).out)).toMatchObject({ work: { jobs: 10_000_000, timers: 1_000_000 } });
    expect((await nightcrew(['compare', '--jobs', '10Q'])).err).toContain('--jobs "10Q" is not a valid count');
  });

  test.each(['{}', '[]', '{"Resources":{}}', 'Resources:', ''])('refuses by name what is no template: %s', async (text) => {
    const { code, out, err } = await nightcrew(['--template', 'x.json'], { readText: async () => Promise.resolve(text) });
    expect([code, out]).toEqual([EXIT.usage, '']);
    expect(err).toContain('--template "x.json" is not a CloudFormation template in JSON');
  });

  test('takes either a template or what is left out of the smallest stack', async () => {
    const { code, err } = await nightcrew(['--template', 'x.json', '--no-alarms', '--fifo']);
    expect(code).toBe(EXIT.usage);
    expect(err).toContain('Leave out --no-alarms, --fifo');
  });

  test('refuses that more jobs use something than there are, where each does so once', async () => {
    const { code, err } = await nightcrew(['--jobs', '1k', '--timers', '1k', '--also', 'group=1.5k', '--also', 'group=1k']);
    expect(code).toBe(EXIT.usage);
    expect(err).toContain('--also group=2500 is more than the 2000 jobs and timers of the month');
    expect((await nightcrew(['--jobs', '1k', '--also', 'group=1k', '--also', 'failed-attempt=2k'])).code).toBe(EXIT.done);
  });
});
