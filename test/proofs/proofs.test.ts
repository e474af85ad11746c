import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HUNTED, PROOFS } from './proofs.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** Commands that are asked for by themselves. */
const OTHERS = ['test/proofs/prove.ts', 'test/proofs/hunt.ts', 'test/proofs/deployed/aws.ts'];
/** Options that let a clock or chance decide what is run. */
const BY_CHANCE = /^--(seconds|minutes|parts|operations|sample|count)(=|$)/;
const names = (proofs: readonly { readonly name: string }[]): readonly string[] => proofs.map(({ name }) => name);

describe('the gate', () => {
  const gate = PROOFS.flatMap(({ name, command, gate: own }) => (own === undefined ? [] : [{ name, command, own }]));

  test.each(gate)('runs $name the same each time: by count, from a base that is named where something is drawn', ({ own }) => {
    expect(own.filter((argument) => BY_CHANCE.test(argument))).toEqual([]);
    const draws = readFileSync(join(ROOT, own[0] ?? ''), 'utf8').includes('baseLine(');
    // These draw for pairs of faults, and for hunted seeds.
    const drawsNothing = own.length === 1 || own.includes('--flows');
    expect(own.includes('--from')).toBe(draws && !drawsNothing);
  });

  test('has a proof of every kind that a change can break in minutes', () => {
    expect(names(gate)).toEqual(expect.arrayContaining(['flows-on-dynamo', 'scenarios', 'processes', 'simulation', 'orders', 'console']));
  });
});

describe('npm run prove and npm run hunt', () => {
  test.each(HUNTED)('$name draws a base of its own', ({ command }) => {
    expect(command.filter((argument) => /^--(from|seed|share)(=|$)/.test(argument))).toEqual([]);
  });

  test('hunts what the gate runs from a fixed base, and what it leaves out', () => {
    const fixed = PROOFS.filter(({ command, gate }) => command === gate);
    expect(names(HUNTED)).toEqual(expect.arrayContaining([...names(PROOFS.filter((proof) => !fixed.includes(proof)))]));
    expect(names(HUNTED).filter((name) => names(fixed).includes(name))).toEqual([]);
  });

  test.each(
    [...new Set([...PROOFS, ...HUNTED].map(({ command: [file = ''] }) => file)), ...OTHERS].filter((file) => file.startsWith('test/')),
  )('%s explains itself with --help', (file) => {
    const source = readFileSync(join(ROOT, file), 'utf8');
    expect(source).toMatch(/^await runCommand\(.*USAGE/m);
  });
});
