import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../scripts/command-line.ts';
import { readOptions, USAGE } from './options.ts';

describe('the arguments of a simulation', () => {
  it('name how many seeds to run, and from which base', () => {
    expect(readOptions(['--seeds', '7'], () => 42)).toMatchObject({ seeds: 7, base: { from: 42, drawn: true } });
    expect(readOptions(['--seeds', '7', '--from', '3'], () => 42)).toMatchObject({ base: { from: 3, drawn: false } });
  });

  it('name one seed, a bug or a number of processes', () => {
    expect(readOptions(['--seed', '5', '--mutant', 'noFence', '--processes', '3'])).toMatchObject({
      seed: 5,
      mutant: 'noFence',
      processes: 3,
    });
  });

  it('are all explained by --help', () => {
    for (const option of ['--seeds', '--from', '--seed', '--mutant', '--processes', '--json']) expect(USAGE).toContain(option);
  });

  it.each([[['--seeds', '0']], [['--from', 'x']], [['--seed', '1.5']], [['--sedes', '1']]])('are refused as %j', (args) => {
    expect(() => readOptions(args)).toThrow(UsageError);
  });
});
