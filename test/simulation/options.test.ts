import { describe, expect, it } from 'vitest';
import { readOptions, USAGE, UsageError } from './options.ts';

describe('the arguments of a simulation', () => {
  it('draw a fresh base unless one is named', () => {
    expect(readOptions(['--seeds', '7'], () => 42)).toMatchObject({ seeds: 7, from: 42, drawn: true });
    expect(readOptions(['--seeds', '7', '--from', '3'], () => 42)).toMatchObject({ from: 3, drawn: false });
    const bases = Array.from({ length: 20 }, () => readOptions([]).from);
    expect(new Set(bases).size).toBeGreaterThan(15);
    expect(bases.every((base) => Number.isSafeInteger(base) && base > 0)).toBe(true);
  });

  it('name one seed, a bug or a number of processes', () => {
    expect(readOptions(['--seed', '5', '--mutant', 'noFence', '--processes', '3'])).toMatchObject({
      seed: 5,
      mutant: 'noFence',
      processes: 3,
    });
  });

  it('ask for help, which names every option', () => {
    expect(readOptions(['--help']).help).toBe(true);
    for (const option of ['--seeds', '--from', '--seed', '--mutant', '--processes', '--json']) expect(USAGE).toContain(option);
  });

  it.each([[['--seeds', '0']], [['--from', 'x']], [['--seed', '1.5']], [['--sedes', '1']]])('are refused as %j', (args) => {
    expect(() => readOptions(args)).toThrow(UsageError);
  });
});
