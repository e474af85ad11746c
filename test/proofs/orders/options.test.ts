import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../scripts/command-line.ts';
import { faultText, parseFaults } from './faults.ts';
import { readOptions, USAGE } from './options.ts';

const PAIR = 'cancel x execute @ ready/plain/plain/outcome';

describe('the options of npm run orders', () => {
  test('draw a base where none is named, and keep the one that is', () => {
    expect(readOptions([])).toMatchObject({ base: { drawn: true }, all: false, most: 150 });
    expect(readOptions(['--from', '7']).base).toEqual({ from: 7, drawn: false });
  });

  test('bound whole walks otherwise, and have four strengths', () => {
    expect(readOptions(['--strength', '1'])).toMatchObject({ strength: 1, most: 1_000 });
    expect(readOptions(['--all']).strength).toBeUndefined();
    expect(() => readOptions(['--strength', '5'])).toThrow('--strength');
  });

  test('refuse what there is not', () => {
    expect(() => readOptions(['--nonsense'])).toThrow(UsageError);
    expect(() => readOptions(['--order', 'time'])).toThrow('--order and --faults need --pair');
    expect(() => readOptions(['--pair', 'cancel x nobody @ ready/plain/plain/outcome'])).toThrow('there is no');
    expect(() => readOptions(['--pair', PAIR, '--faults', 'nonsense'])).toThrow('is not a list');
  });

  test('are all in the help', () => {
    const names = [
      'seconds',
      'from',
      'draws',
      'all',
      'restart',
      'strength',
      'pair',
      'order',
      'faults',
      'most',
      'processes',
      'json',
      'help',
    ];
    for (const name of names) expect(USAGE).toContain(`--${name}`);
  });

  test('take a pair, an order and faults as they are printed', () => {
    const faults = [
      { actor: 'A', at: 3, kind: 'transact-jobs+control', fault: 'lost-reply' },
      { actor: 'B', at: 12, fault: 'gone-after' },
    ] as const;
    expect(readOptions(['--pair', PAIR, '--order', 'A1.get-jobs time', '--faults', faultText(faults)])).toMatchObject({
      order: 'A1.get-jobs time',
      faults,
    });
    expect(parseFaults('')).toEqual([]);
    expect(parseFaults('A3:nonsense')).toBeUndefined();
  });
});
