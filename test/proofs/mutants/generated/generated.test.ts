import { stripTypeScriptTypes } from 'node:module';
import { describe, expect, test } from 'vitest';
import { diffOf } from './diff-of.ts';
import { mutatedFiles, mutantsOf } from './mutants.ts';
import { earlierSurvivors, sampleOf } from './sample.ts';
import { withSwitches } from './schemata.ts';
import { mutants as switches } from './switch.ts';

const FILE = 'shared/store/made-up.ts';

/** The result of a function with this body and an active mutant. */
async function given(body: string, operator: string, args: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
  const { source, mutants } = mutantsOf(FILE, `async function f(${Object.keys(args).join(', ')}) {${body}}`);
  const chosen = mutants.find(({ change }) => change.operator === operator);
  expect(chosen).toBeDefined();
  const text = stripTypeScriptTypes(withSwitches(source, mutants));
  const { f } = (await import(`data:text/javascript,${encodeURIComponent(`export ${text}`)}`)) as {
    f: (...args: readonly unknown[]) => unknown;
  };
  const plain: unknown = await f(...Object.values(args));
  switches.active = chosen?.number;
  const mutated: unknown = await f(...Object.values(args));
  switches.active = undefined;
  expect(mutated).not.toEqual(plain);
  return mutated;
}

describe('a generated mutant', () => {
  test('drops, weakens and turns what decides and fences', async () => {
    const condition = { test: 'all', of: [{ test: 'equals', attribute: 'rev', value: 1 }] };
    const weak = { condition: { test: 'all', of: [{ test: 'present', attribute: 'rev' }] } };
    expect(await given('return { condition };', 'weaken-condition', { condition })).toEqual(weak);
    expect(await given('return all(1, 2);', 'drop-condition', { all: (...of: readonly number[]) => of })).toEqual([2]);
    expect(await given('if (a) return 1; return 2;', 'if-never', { a: true })).toBe(2);
    expect(await given('return a && b;', 'drop-and', { a: 1, b: 0 })).toBe(1);
    expect(await given('return codes[1];', 'shift-index', { codes: ['a', 'b', 'c'] })).toBe('a');
    expect(await given('return entropy.token();', 'reuse-token', { entropy: { token: () => 'fresh' } })).toBe('reused');
  });

  test('drops and changes what is written, waited for and done', async () => {
    expect(await given('return { consistent: true, limit: 1 };', 'drop-property')).toEqual({ limit: 1 });
    expect(await given('return until - marginMs;', 'drop-margin', { until: 9, marginMs: 2 })).toBe(9);
    expect(await given('return Math.min(a, b);', 'drop-bound', { a: 1, b: 2 })).toBe(2);
    expect(await given('return wait(delayMs);', 'no-wait', { wait: (ms: number) => ms, delayMs: 5 })).toBe(0);
    expect(await given('let a = 1; a = 2; return a;', 'drop-assignment')).toBe(1);
    expect(await given('const done = []; done.push(1); return done;', 'drop-call')).toEqual([]);
    expect(await given('try { throw 1 } catch { return 2 } return 3;', 'swallow')).toBe(3);
    const log = 'const said = []; await said.push(1); await said.push(2); return said;';
    expect(await given(log, 'swap-awaits')).toEqual([2, 1]);
  });

  test('is shown as a small diff', () => {
    const [mutant] = mutantsOf('shared/store/claim.ts').mutants.filter(({ change }) => change.operator === 'weaken-condition');
    if (mutant === undefined) throw new Error('claim has a condition');
    expect(diffOf(mutant).split('\n')).toEqual([
      mutant.id,
      `  shared/store/claim.ts:${mutant.line}`,
      '  -     condition: claimable(now),',
      '  +     condition: __mutants.weakened(claimable(now)),',
      '',
    ]);
  });
});

test('with its switches in it, every source can still be loaded', () => {
  for (const file of mutatedFiles()) {
    const { source, mutants } = mutantsOf(file);
    expect(() => stripTypeScriptTypes(withSwitches(source, mutants)), file).not.toThrow();
  }
});

test('a sample is the survivors of earlier ones and a few fresh mutants of each source, others from each base and the same from one', () => {
  const every = mutatedFiles().flatMap((file) => mutantsOf(file).mutants);
  const ids = new Set(every.map(({ id }) => id));
  const survivors = earlierSurvivors.map(({ mutant }) => mutant).filter((mutant) => ids.has(mutant));
  const drawn = (from: number) => sampleOf(every, { from, drawn: true }, 50).map(({ id }) => id);
  expect(drawn(1)).toEqual(drawn(1));
  expect(drawn(1)).not.toEqual(drawn(2));
  const fresh = drawn(1).filter((id) => !survivors.includes(id));
  const sizes = [...Map.groupBy(fresh, (id) => id.split(':', 1)[0])].map(([, of]) => of.length);
  expect(drawn(1)).toEqual(expect.arrayContaining(survivors));
  expect(fresh.length).toBeLessThanOrEqual(50);
  expect(fresh.length).toBeGreaterThanOrEqual(50 - survivors.length);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(8);
});
