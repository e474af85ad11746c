/** The same fields without those that are undefined. */
export type Defined<Fields> = {
  [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name];
} & {
  [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined>;
};

/** Drops undefined fields: for optional properties, which must be absent rather than undefined (`exactOptionalPropertyTypes`). */
export function defined<const Fields extends object>(fields: Fields): Defined<Fields> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) kept[name] = value;
  return kept as Defined<Fields>;
}

/** The named fields of an object, without those that it has not. */
export function pick<From extends object, Name extends keyof From>(from: From, ...names: readonly Name[]): Pick<From, Name> {
  return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]]))) as Pick<From, Name>;
}
