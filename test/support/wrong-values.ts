import { expect, it } from 'vitest';

/** A wrong value of an option, and what its error says behind the option's path. */
export type Wrong = readonly [value: unknown, says: string];

/** Wrong values of each option of an interface. The compiler names an option that is missing. */
export type WrongValues<Options> = { readonly [Name in keyof Required<Options>]: readonly [Wrong, ...Wrong[]] };

/** How options are given. */
export interface Given<Options> {
  /** What stands before the name of an option in errors, such as `workers.default.`. */
  readonly path: string;
  readonly wrong: WrongValues<Options>;
  /** What the error for an option that there is not says first. Default: `<path>unheardOfOption: is no option of `. */
  readonly stranger?: string;
  readonly give: (options: Readonly<Record<string, unknown>>) => unknown;
}

/** Tests that each option refuses its wrong values, and that no other option is taken. */
export function eachOptionRefuses<Options>({
  path,
  wrong,
  give,
  stranger = `${path}unheardOfOption: is no option of `,
}: Given<Options>): void {
  const cases = Object.entries<readonly Wrong[]>(wrong).flatMap(([name, values]) =>
    values.map(([value, says]) => [name, value, says] as const),
  );

  it.each(cases)('%s refuses %o, and says why', (name, value, says) => {
    expect(() => give({ [name]: value })).toThrow(
      expect.objectContaining({ message: expect.stringContaining(`${path}${name}${says}`) as string }),
    );
  });

  it('no other option is taken, and the error lists those that there are', () => {
    const message = messageOf(() => give({ unheardOfOption: 1 }));
    expect(message).toContain(stranger);
    const known = /Known are: (.*)\.$/.exec(message)?.[1]?.split(', ') ?? [];
    expect(known.toSorted()).toEqual(Object.keys(wrong).toSorted());
  });
}

/** What a call throws. */
function messageOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('Nothing was refused.');
}
