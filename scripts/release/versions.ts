type Numbers = readonly [major: number, minor: number, patch: number];

/** Undefined if the text is no version of the form `x.y.z`. */
function numbersOf(version: string): Numbers | undefined {
  const match = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.exec(version);
  return match === null ? undefined : [Number(match[1]), Number(match[2]), Number(match[3])];
}

const compare = (a: Numbers, b: Numbers): number => a[0] - b[0] || a[1] - b[1] || a[2] - b[2];

export const isVersion = (text: string): boolean => numbersOf(text) !== undefined;

/** The versions among the texts, the earliest first: 0.10.0 comes after 0.9.0. */
export function inOrder(texts: readonly string[]): readonly string[] {
  const known = texts.flatMap((version) => {
    const numbers = numbersOf(version);
    return numbers === undefined ? [] : [{ version, numbers }];
  });
  return known.toSorted((a, b) => compare(a.numbers, b.numbers)).map(({ version }) => version);
}
