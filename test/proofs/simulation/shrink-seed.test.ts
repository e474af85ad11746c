import { expect, test } from 'vitest';
import { mutantOptions } from '../mutants/node-options.ts';
import { runShare } from '../../support/run-share.ts';
import type { Cut } from './faults/cut-plan.ts';
import type { Fault } from './faults/fault-plan.ts';
import { cutOptions, readOptions } from './options.ts';
import { runSeed } from './run-seed.ts';
import { type Judged, type Shrunk, shrinkSeed } from './shrink-seed.ts';
import { SHRINK_SHARE } from './tell-shrunk.ts';

/** Has late indexes, jumping clocks, a hot partition and wrong metrics. */
const WIDE_SEED = 110;
const ACTORS = ['producer', 'editor', 'canceller'];
const DRAWN: readonly Fault[] = ['pause', 'lost-reply', 'throttled', 'late-write', 'lost-reply', 'pause', 'late-write', 'throttled'];

/** A world that breaks a rule when a write comes late after a reply was lost, if somebody produces jobs. */
async function brokenByTwo({ faults = DRAWN, actors = ACTORS, strikes }: Cut): Promise<Judged> {
  const kinds = DRAWN.filter((fault) => faults.includes(fault));
  const struck = kinds
    .map((fault, index) => ({ number: index + 1, fault, at: index }))
    .filter(({ number }) => strikes?.includes(number) !== false);
  const lost = struck.find(({ fault }) => fault === 'lost-reply')?.number ?? Number.POSITIVE_INFINITY;
  const broken = actors.includes('producer') && struck.some(({ fault, number }) => fault === 'late-write' && number > lost);
  return {
    violations: broken ? [{ rule: 'one-place' }] : [],
    kinds: [...new Set(struck.map(({ fault }) => fault))],
    struck,
    actors: new Set(actors),
  };
}

test('a seed is shrunk to the kinds, actors and single faults that it needs to break its rule', async () => {
  const shrunk = await shrinkSeed(brokenByTwo, 'one-place', 100);
  expect(shrunk?.cut).toEqual({ faults: ['lost-reply', 'late-write'], actors: ['producer'], strikes: [3, 4] });
  expect(shrunk?.struck.map(({ fault }) => fault)).toEqual(['lost-reply', 'late-write']);
  expect(shrunk?.before).toEqual({ faults: 4, actors: 3, strikes: 8 });
});

test('a seed that does not break the rule is not shrunk, and what was found when the runs are used up counts', async () => {
  expect(await shrinkSeed(brokenByTwo, 'never-early', 100)).toBeUndefined();
  const early = await shrinkSeed(brokenByTwo, 'one-place', 4);
  expect((await brokenByTwo(early?.cut ?? {})).violations).toHaveLength(1);
});

test('what a seed was shrunk to is replayed by options', () => {
  const cut: Cut = { faults: ['lost-reply', 'late-write'], actors: [], strikes: [3, 4] };
  expect(readOptions(['--seed', '5', ...cutOptions(cut).split(' ')]).cut).toEqual(cut);
  expect(readOptions(['--seed', '5']).cut).toEqual({});
});

test.each([3, WIDE_SEED])('a run of which everything takes place is the run itself (%i)', async (seed) => {
  const whole = await runSeed(seed);
  const cut = { faults: whole.kinds, actors: [...whole.actors], strikes: whole.struck.map(({ number }) => number) };
  expect((await runSeed(seed, { cut })).hash).toBe(whole.hash);
});

test('a run without its faults and with few actors has none, and keeps its promises', async () => {
  const { faults, violations, struck, actors } = await runSeed(3, { cut: { faults: [], actors: ['producer'] } });
  expect([[...faults.keys()], struck, violations]).toEqual([[], [], []]);
  expect(actors.size).toBeGreaterThan(3);
});

test('a deliberate bug is shown by a small part of the seed that caught it', async () => {
  let found: Shrunk | undefined;
  const args = ['1', 'sent-after-commit', '12'];
  await runShare(SHRINK_SHARE, args, (shrunk) => (found = shrunk as Shrunk), mutantOptions('sendBeforeCommit'));
  expect(found?.cut.faults.length).toBeLessThan((found?.before.faults ?? 0) / 2);
  expect(found?.breaks).toBe(true);
});
