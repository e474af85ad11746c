/** The noun that goes with a count: `one` for 1, otherwise its plural. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? one : many;
}
