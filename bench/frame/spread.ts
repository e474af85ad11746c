/** The values of one figure over the rounds of a run. */
export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

/** The spread of at least one value; of an even number of them the median is the mean of the two in the middle. */
export function spreadOf(values: readonly number[]): Spread {
  const ordered = values.toSorted((a, b) => a - b);
  const at = (index: number): number => {
    const value = ordered[index];
    if (value === undefined || Number.isNaN(value))
      throw new Error(`A spread needs numbers, and one at least; got [${values.join(', ')}].`);
    return value;
  };
  const middle = (ordered.length - 1) / 2;
  return { min: at(0), median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2, max: at(ordered.length - 1) };
}

/** The value below which `share` of the values are (nearest rank); throws if there is none. */
export function quantile(values: readonly number[], share: number): number {
  const ordered = values.toSorted((a, b) => a - b);
  const value = ordered[Math.max(0, Math.ceil(ordered.length * share) - 1)];
  if (value === undefined) throw new Error('There is no quantile of nothing.');
  return value;
}
