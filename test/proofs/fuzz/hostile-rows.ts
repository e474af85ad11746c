import fc from 'fast-check';
import { iso } from '../../../shared/job/instant.ts';
import type { Scalar } from '../../../shared/job/job.ts';
import type { Row } from '../../../shared/ports/tables.ts';

// oxfmt-ignore
const numbers = fc.oneof(
  fc.constantFrom<Scalar>(0, -1, 1, 1.5, 2 ** 53, 1e125, -1e125, Number.MIN_VALUE),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
// oxfmt-ignore
const texts = fc.oneof(
  fc.constantFrom<Scalar>('', '__proto__', 'constructor', '{}', '[', 'null', '\u0000\u001b[2J', `${'x'.repeat(127)}😀`),
  fc.constantFrom<Scalar>('queue/', 'run/x', 'alone/x', 'queue/0/alone/x', 'queue/9999999999/alone/x', 'P1D', 'R5/PT5M', 'gone'),
  fc.constantFrom(200, 3_000, 70_000, 300_000, 398_000, 408_500).map((length) => 'x'.repeat(length)),
  fc.string({ unit: 'grapheme' }),
);
// oxfmt-ignore
const instants = (now: number): fc.Arbitrary<Scalar> => fc.constantFrom(
  '2026', '1', 'Jan 1 2020', '2026-01-01', '2026-01-01T00:00:00+02:00', '2020-01-01T00:00:00Z', '+275760-09-13T00:00:00.000Z', '-000001-01-01T00:00:00.000Z',
  '9999-12-31T23:59:59.999Z', '0000-01-01T00:00:00.000Z', 'zzz', iso(now), iso(now - 1), iso(now + 400_000), iso(now + 86_400_000),
);

/** Any value of a DynamoDB attribute, most often one close to the expected. */
function hostileScalar(good: Scalar | undefined, now: number): fc.Arbitrary<Scalar> {
  const any = fc.oneof(numbers, texts, instants(now), fc.boolean());
  const near = typeof good === 'number' ? numbers : typeof good !== 'string' ? fc.boolean() : /^\d{4}-/.test(good) ? instants(now) : texts;
  return fc.oneof({ weight: 2, arbitrary: near }, { weight: 1, arbitrary: any });
}

/** How a row differs from a good one. */
export interface RowDamage {
  readonly gone: readonly string[];
  readonly set: readonly (readonly [string, Scalar])[];
}

/** Attributes that go, change, or that a newer version or a stranger added. `sample` has every attribute that may be there. */
export function rowDamage(sample: Row, now: number): fc.Arbitrary<RowDamage> {
  const known = fc.constantFrom(...Object.keys(sample));
  const strange = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('__proto__', 'constructor', 'toString'));
  const change = fc
    .oneof({ weight: 6, arbitrary: known }, { weight: 1, arbitrary: strange })
    .chain((name) => fc.tuple(fc.constant(name), hostileScalar(sample[name], now)));
  return fc.record({ gone: fc.array(known, { maxLength: 1 }), set: fc.array(change, { maxLength: 3 }) });
}

/** The row after the damage; its key stays as it is, because that is how it is found. */
export function damaged(row: Row, { gone, set }: RowDamage, key: readonly string[]): Row {
  const kept = Object.entries(row).filter(([name]) => !gone.includes(name) || key.includes(name));
  return Object.fromEntries([...kept, ...set.filter(([name]) => !key.includes(name))]);
}
