import fc from 'fast-check';
import { readStartOptions, UsageError } from '../../../../local/start-options.ts';
import { type FuzzTarget, fuzzTarget } from '../fuzz-target.ts';

const WORDS = [
  '--once',
  '--json',
  '--orders',
  '--rate',
  '--seed',
  '--help',
  '-h',
  '--',
  '-',
  '--no-once',
  '--orders=',
  '--rate=1',
  '--seed=7',
  '--once=1',
  '5',
  '1e9',
  '-1',
  '0x10',
  '__proto__',
  '--__proto__',
  '--constructor=1',
  '',
];

/** Any command line of `npm start`: options within their ranges, or a usage error that quotes the fault. */
export const commandLine: FuzzTarget = fuzzTarget({
  name: 'command-line',
  shortRuns: 500,
  longestMs: 200,
  input: () =>
    fc.array(
      fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(...WORDS) },
        { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
        { weight: 1, arbitrary: fc.double().map(String) },
      ),
      { maxLength: 6 },
    ),
  check(args) {
    try {
      const { orders = 1, rate, seed } = readStartOptions(args);
      const sound =
        Number.isInteger(orders) &&
        orders >= 1 &&
        orders <= 100_000 &&
        rate >= 0.01 &&
        rate <= 1_000 &&
        Number.isInteger(seed) &&
        seed >= 0;
      if (!sound) throw new Error(`Read as ${JSON.stringify({ orders, rate, seed })}.`);
    } catch (error) {
      if (!(error instanceof UsageError) || error.message === '') throw error;
    }
  },
});
