import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROOFS } from './proofs.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** Commands that are asked for by themselves. */
const OTHERS = ['test/proofs/prove.ts', 'test/proofs/deployed/aws.ts'];

describe('the proofs that a change has to pass', () => {
  test.each(PROOFS)('$name draws its own base', ({ command }) => {
    expect(command.filter((argument) => /^--(from|seed|share)(=|$)/.test(argument))).toEqual([]);
  });

  test.each([...new Set(PROOFS.map(({ command: [file = ''] }) => file)), ...OTHERS])('%s explains itself with --help', (file) => {
    const source = readFileSync(join(ROOT, file), 'utf8');
    expect(source).toMatch(/^await runCommand\(.*USAGE/m);
  });
});
