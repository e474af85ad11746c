import type { OptionObject } from './walk-api.ts';

/** Names of parameters that take options. */
type Parameter =
  | 'action'
  | 'attributes'
  | 'context'
  | 'counts'
  | 'defaults'
  | 'definition'
  | 'edit'
  | 'failure'
  | 'fault'
  | 'filter'
  | 'handler'
  | 'middleware'
  | 'options'
  | 'page'
  | 'props'
  | 'query'
  | 'schedule'
  | 'scope'
  | 'shape'
  | 'sinks'
  | 'to'
  | 'when'
  | 'words';

/** Arguments of a call; `never`, because one of them has a field that its type does not have. */
export type Given = Readonly<Record<Parameter, never>>;

/** How a function of the API is called with each of its option objects. */
export interface OptionCall {
  /** By parameter. Together they contain every option object of the function, at every depth. */
  readonly given: readonly Readonly<Partial<Record<Parameter, unknown>>>[];
  readonly call: (given: Given) => unknown;
  /** Paths of objects that the function never takes, whatever is in them. */
  readonly never?: RegExp;
}

/** By the name of the function, as the walk over the types calls it. */
export type OptionCalls = Readonly<Record<string, OptionCall>>;

/** Whether an object is of a type: it has the fields that the type requires, with the texts that tell it from others, and no other than it knows. */
export function isOf(value: unknown, { known, required, texts }: OptionObject): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const names = Object.keys(value);
  const isComplete = names.every((name) => known.includes(name)) && required.every((name) => names.includes(name));
  return isComplete && Object.entries(texts).every(([name, text]) => (value as Readonly<Record<string, unknown>>)[name] === text);
}

/** The value at a path; `[]` and `*` are the first of a list or record, `()` is what a function returns. Undefined for none. */
export function valueAt(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined || value === undefined) return value;
  if (step !== '()') return valueAt(Object(value)[keyOf(value, step)], rest);
  return typeof value === 'function' ? valueAt(value(), rest) : undefined;
}

/** The same value with one field more in the object at a path. */
export function withField(value: unknown, [step, ...rest]: readonly string[], field: string): unknown {
  if (step === undefined) return { ...Object(value), [field]: 1 };
  if (step === '()') return (...args: unknown[]) => withField((value as (...args: unknown[]) => unknown)(...args), rest, field);
  const key = keyOf(value, step);
  const within = withField(Object(value)[key], rest, field);
  return Array.isArray(value) ? value.with(Number(key), within) : { ...Object(value), [key]: within };
}

function keyOf(value: unknown, step: string): string {
  return step === '[]' || step === '*' ? (Object.keys(Object(value))[0] ?? step) : step;
}
