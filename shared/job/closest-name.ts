/** More changes than this, and another name was meant. */
const MAX_CHANGES = 3;

/** The name that is most similar to what was typed, if any is similar. */
export function closestName(typed: string, names: readonly string[]): string | undefined {
  const near = names
    .map((name) => ({ name, changes: changesBetween(typed.slice(0, 40), name) }))
    .toSorted((a, b) => a.changes - b.changes)[0];
  return near !== undefined && near.changes <= Math.min(MAX_CHANGES, near.name.length / 2) ? near.name : undefined;
}

/** What was probably meant by a name that there is not, otherwise all that there are. */
export function knownNames(name: unknown, known: readonly string[]): string {
  const near = typeof name === 'string' ? closestName(name, known) : undefined;
  return near === undefined ? `Known are: ${known.join(', ')}.` : `Did you mean ${near}?`;
}

/** Letters to add, drop or replace to make one word of the other (Levenshtein). */
function changesBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (const [i, letter] of a.split('').entries()) {
    const next = [i + 1];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (letter === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
