import fc from 'fast-check';

const boom = (): never => {
  throw new Error('boom');
};

function nested(depth: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = wrap(value);
  return value;
}

function circle(): unknown {
  const value: Record<string, unknown> = {};
  value['self'] = value;
  return value;
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

// oxlint-disable-next-line unicorn/no-thenable -- a stranger's object may have one
const THEN = 'then';
const OWN_PROTO = '{"__proto__":{"polluted":true}}';

/** Values that cannot be written as JSON, or that throw when accessed, by kind. */
const SPECIALS = {
  'a circle': circle,
  'an array 100,000 deep': () => nested(100_000, (inner) => [inner]),
  'an object 100,000 deep': () => nested(100_000, (inner) => ({ inner })),
  'an object 63 deep': () => nested(63, (inner) => ({ inner })),
  '20,000 entries': () => Array.from({ length: 20_000 }, () => 0),
  '20,000 keys': () => Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, n])),
  'an array of 4 billion holes': () => Array.from({ length: 0 }).concat(Object.assign([], { length: 2 ** 32 - 1 })),
  'a million bytes': () => new Uint8Array(1_000_000),
  'a buffer': () => Buffer.from('bytes'),
  'a text of 300 KB': () => 'ß'.repeat(150_000),
  'half an emoji': () => 'cut \ud83d',
  'control characters': () => '\u0000\u001b[2J\n\u009b\u2028',
  'a name of every object': () => '__proto__',
  'another name of every object': () => 'constructor',
  'not a number': () => Number.NaN,
  infinity: () => Number.NEGATIVE_INFINITY,
  'a bigint': () => 5n,
  'a symbol': () => Symbol('a\nsymbol'),
  'a function': () => boom,
  'nothing at all': () => undefined,
  'no date': () => new Date(Number.NaN),
  'the last date': () => new Date(8.64e15),
  'an object that looks like a date': () => Object.create(Date.prototype) as unknown,
  'a revoked proxy': revoked,
  'a proxy that throws': () => new Proxy({}, { get: boom, has: boom, ownKeys: boom, getPrototypeOf: boom, getOwnPropertyDescriptor: boom }),
  'a getter that throws': () => Object.defineProperty({}, 'value', { enumerable: true, get: boom }),
  'a toJSON that throws': () => ({ toJSON: boom }),
  'a toJSON that gives a hostile key': () => ({ toJSON: () => JSON.parse(OWN_PROTO) as unknown }),
  'a toJSON that gives something deep': () => ({ toJSON: () => nested(100, (inner) => [inner]) }),
  'a toJSON that gives something wide': () => ({ toJSON: () => Array.from({ length: 20_000 }, () => 0) }),
  'an object that is no text': () => Object.create(null) as unknown,
  'an object that will be no text': () => ({ toString: boom, valueOf: boom, [Symbol.toPrimitive]: boom }),
  'a then that throws': () => Object.defineProperty({}, THEN, { enumerable: true, get: boom }),
  'a then that never answers': () => ({ [THEN]: () => undefined }),
  'an own __proto__': () => JSON.parse(OWN_PROTO) as unknown,
  'a way to a prototype': () => ({ constructor: { prototype: { polluted: true } } }),
  'a map': () => new Map([['a', 1]]),
  'a set': () => new Set([1]),
  'a boxed number': () => Object(5) as unknown,
  'an error whose name throws': () => Object.defineProperty(new Error('x'), 'name', { get: boom }),
  'an error whose message is no text': () => Object.assign(new Error('x'), { message: 7, stack: {} }),
  'an error in a circle of causes': () => {
    const error = new Error('x');
    return Object.assign(error, { cause: error });
  },
  'a conflict without reasons': () => Object.assign(new Error('x'), { name: 'TransactionCanceledException', CancellationReasons: 'none' }),
  'a conflict with an empty reason': () =>
    Object.assign(new Error('x'), { name: 'TransactionCanceledException', CancellationReasons: [null, { Code: 'None' }] }),
} as const;

/** Values that throw on any access. */
const TRAPS: ReadonlySet<string> = new Set([
  'a revoked proxy',
  'a proxy that throws',
  'a getter that throws',
  'a then that throws',
  'an error whose name throws',
]);

/** Stands for a value that could not be printed; `materialise` puts the value in its place. */
class Special {
  readonly name: keyof typeof SPECIALS;

  constructor(name: keyof typeof SPECIALS) {
    this.name = name;
  }

  [fc.toStringMethod](): string {
    return `<${this.name}>`;
  }
}

const special = (traps: boolean): fc.Arbitrary<unknown> => {
  const names = (Object.keys(SPECIALS) as (keyof typeof SPECIALS)[]).filter((name) => traps || !TRAPS.has(name));
  return fc.constantFrom(...names).map((name) => new Special(name));
};

const plain = (): fc.Arbitrary<unknown> =>
  fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withObjectString: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
    withUnicodeString: true,
  });

const HOSTILE_KEYS = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then', 'toJSON', 'a\nb', '\ud83d'];

/**
 * Any value, as a printable tree: `materialise` converts it to the input of the code under test. With `traps`
 * also values that throw on any access.
 */
export function hostileTree({ traps }: { readonly traps: boolean }): fc.Arbitrary<unknown> {
  const key = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...HOSTILE_KEYS));
  const leaf = fc.oneof(
    { weight: 2, arbitrary: special(traps) },
    { weight: 1, arbitrary: plain() },
    { weight: 2, arbitrary: fc.jsonValue() },
  );
  return fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 3, arbitrary: leaf },
      { weight: 1, arbitrary: fc.array(tie('tree'), { maxLength: 3 }) },
      {
        weight: 1,
        arbitrary: fc.array(fc.tuple(key, tie('tree')), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
      },
    ),
  })).tree;
}

/** Converts a tree to its value. */
export function materialise(tree: unknown): unknown {
  if (tree instanceof Special) return SPECIALS[tree.name]();
  if (Array.isArray(tree) && Object.keys(tree).length === tree.length) return tree.map(materialise);
  const isPlain = typeof tree === 'object' && tree !== null && Object.getPrototypeOf(tree) === Object.prototype;
  return isPlain ? Object.fromEntries(Object.entries(tree).map(([name, value]) => [name, materialise(value)])) : tree;
}
