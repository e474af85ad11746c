import type { Bench } from './bench.ts';

/** A sentence for each figure that a bench declares and is not among `ids`, and for each of `ids` that it does not declare. */
export function undeclaredFigures({ name, figures }: Pick<Bench, 'name' | 'figures'>, ids: readonly string[]): readonly string[] {
  if (figures === undefined) return [];
  return [
    ...figures.filter((id) => !ids.includes(id)).map((id) => `${id} is declared by the bench ${name}, and missing here.`),
    ...ids.filter((id) => !figures.includes(id)).map((id) => `${id} is here, and not declared by the bench ${name}.`),
  ];
}
