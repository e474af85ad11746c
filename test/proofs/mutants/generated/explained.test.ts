import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { explained, goneMutants } from './explained.ts';
import { mutantsOf } from './mutants.ts';

const FILE = 'shared/store/made-up.ts';
const idsOf = (text: string): readonly string[] => mutantsOf(FILE, text).mutants.map(({ id }) => id);
const idOf = (text: string, operator: string): string => idsOf(text).find((id) => id.startsWith(`${FILE}:${operator}:`)) ?? '';
const inClaim = (body: string): string => `export async function claim(a) { ${body} }`;

describe('the id of a generated mutant', () => {
  const call = inClaim('await first(a, 1);');
  const id = idOf(call, 'drop-call');

  test('names its file, operator and symbol, and the edit by a hash', () => {
    expect(id).toMatch(/^shared\/store\/made-up\.ts:drop-call:claim:[0-9a-f]{8}$/);
  });

  test('stays the same when lines move, other code of the same kind is added, and the formatter breaks the line', () => {
    for (const text of [
      `\n\nconst more = 1;\n${call}`,
      inClaim('await another(); await first(a, 1);'),
      inClaim('if (a) await another(); await first(a, 1); await another(a);'),
      inClaim('await first(\n  a,\n  1,\n);'),
    ]) {
      expect(idsOf(text)).toContain(id);
    }
  });

  test('is another one when the edited text, its replacement, or its symbol is another one', () => {
    expect(idsOf(inClaim('await first(a, 2);'))).not.toContain(id);
    expect(idsOf(call.replace('claim', 'take'))).not.toContain(id);
    expect(new Set(idsOf(inClaim('return a < 1;'))).size).toBe(2);
  });

  test('includes the statement before which another one is moved', () => {
    const swapped = (first: string): string => idOf(inClaim(`await ${first}(); await second();`), 'swap-awaits');
    expect(swapped('one')).not.toBe(swapped('other'));
  });

  test('has a place only among identical edits of a symbol, and all of them change with their number', () => {
    const places = (times: number): readonly string[] =>
      idsOf(inClaim('first(a, 1); '.repeat(times)))
        .filter((one) => one.includes(':drop-call:'))
        .map((one) => one.slice(id.length));
    expect([places(1), places(2), places(3)]).toEqual([[''], [':1/2', ':2/2'], [':1/3', ':2/3', ':3/3']]);
  });
});

test('an id that names no mutant is shown with the ids that may replace it and the command that judges them', () => {
  const now = ['a.ts:drop-call:claim:22222222', 'a.ts:drop-call:claim:33333333:1/2', 'a.ts:drop-call:claimAll:22222222'];
  const gone = (id: string): string => goneMutants([id], () => now)[0] ?? '';
  for (const old of ['a.ts:drop-call:claim:11111111', 'a.ts:drop-call:claim:33333333:3/3']) {
    expect(gone(old)).toContain(`${old} names no mutant. Edited like this there now: ${now.slice(0, 2).join(', ')}.`);
    expect(gone(old)).toContain('npm run mutants -- --generated --all --files a.ts');
  }
  expect(gone(now[1] ?? '')).toBe('');
  expect(goneMutants(['shared/store/gone.ts:drop-call:claim:11111111'])).toEqual([expect.stringContaining('Nothing there is edited')]);
});

test('every mutant that is explained exists', () => {
  expect(goneMutants([...explained().keys()])).toEqual([]);
});

test('every mutant that a sample found unnoticed exists', () => {
  const known = JSON.parse(readFileSync(join(import.meta.dirname, 'known-failures.json'), 'utf8')) as readonly {
    readonly mutant: string;
  }[];
  expect(goneMutants(known.map(({ mutant }) => mutant))).toEqual([]);
});
