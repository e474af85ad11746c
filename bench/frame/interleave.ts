import type { BenchPlan } from './bench.ts';

/** One side of a comparison: a round's work, and its figures by name. */
export type Side<Name extends string> = (round: number) => Promise<Readonly<Record<Name, number>>>;

/** Each side's figures by name, one value a round. */
export type Rounds<Name extends string, Sides extends string> = Readonly<Record<Sides, Readonly<Record<Name, readonly number[]>>>>;

/**
 * Runs all sides in every round, in an order that turns from round to round, so that a machine that grows slower or faster is no side's.
 * A round before the first (-1) warms up and is thrown away.
 */
export async function interleave<Name extends string, Sides extends string>(
  plan: BenchPlan,
  sides: Readonly<Record<Sides, Side<Name>>>,
  part: { readonly from: number; readonly to: number; readonly label: string } = { from: 0, to: 1, label: 'round' },
): Promise<Rounds<Name, Sides>> {
  const names = Object.keys(sides) as Sides[];
  const gathered = Object.fromEntries(names.map((name) => [name, {}])) as Record<Sides, Partial<Record<Name, number[]>>>;
  const steps = (plan.rounds + 1) * names.length;
  let step = 0;
  for (let round = -1; round < plan.rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      plan.progress(part.from + ((part.to - part.from) * step) / steps, `${part.label} ${round + 1} of ${plan.rounds}: ${name}`);
      const figures = await sides[name](round);
      step += 1;
      if (round < 0) continue;
      for (const [figure, value] of Object.entries(figures) as [Name, number][]) (gathered[name][figure] ??= []).push(value);
    }
  }
  return gathered as Rounds<Name, Sides>;
}
