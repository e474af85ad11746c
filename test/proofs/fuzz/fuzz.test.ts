import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { UsageError } from '../../../scripts/command-line.ts';
import { readFuzzOptions } from './fuzz-options.ts';
import { fuzzTarget } from './fuzz-target.ts';
import { runTarget } from './run-target.ts';
import { TARGETS } from './targets.ts';
import { settled } from './typed-errors.ts';

const SEED = 20_260_101;

afterAll(async () => {
  for (const target of TARGETS) await target.close?.();
});

describe('hostile input', () => {
  it.each(TARGETS.map((target) => [target.name, target] as const))('of the kind %s breaks no promise', async (_, target) => {
    const { failure, inputs } = await runTarget(target, { seed: SEED, runs: target.shortRuns });
    expect(failure).toBeUndefined();
    expect(inputs).toBe(target.shortRuns);
  });
});

describe('a promise that is broken', () => {
  const busy = (ms: number): void => {
    for (const until = process.cpuUsage().user + ms * 1_000; process.cpuUsage().user < until;);
  };
  const wrongs: readonly (readonly [string, () => void | Promise<void>, RegExp])[] = [
    ['by an input that takes too long', () => busy(80), /took \d+ ms/],
    ['by an input that never ends', () => new Promise(() => undefined), /timeout/],
    ['by an error of no known kind', () => void settled(() => JSON.parse('{') as unknown, ['INVALID_INPUT']), /no known kind/],
    ['by a changed prototype', () => void Reflect.set(Object.prototype, 'polluted', true), /given polluted/],
  ];
  it.each(wrongs)('%s is a failure, with its smallest input', async (_, wrong, message) => {
    const check = (n: number): void | Promise<void> => (n >= 7 ? wrong() : undefined);
    const target = fuzzTarget({ name: 'broken', shortRuns: 50, longestMs: 40, answersWithinMs: 100, input: () => fc.nat(20), check });
    const { failure } = await runTarget(target, { seed: 1, runs: 50 });
    expect(failure).toMatchObject({ counterexample: '7', error: expect.stringMatching(message) as string });
  });
});

describe('the arguments of a fuzz run', () => {
  it('have defaults, and are read', () => {
    expect(readFuzzOptions([], [], () => 42)).toEqual({ seconds: 60, base: { from: 42, drawn: true }, json: false });
    expect(readFuzzOptions(['--seconds', '5', '--from=7', '--target', 'rows', '--json'], ['rows'])).toEqual({
      seconds: 5,
      base: { from: 7, drawn: false },
      target: 'rows',
      json: true,
    });
  });

  it.each([[['--seconds', '0']], [['--from', '-1']], [['--target', 'none']], [['--sed', '5']], [['5']]])('are refused as %j', (args) => {
    expect(() => readFuzzOptions(args, ['rows'])).toThrow(UsageError);
  });
});
