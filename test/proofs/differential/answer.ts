import { NightcrewError } from '../../../shared/job/errors.ts';

/** The result of a call, comparable between two stores: a value without `attempts`, or an error by its class and code. */
export type Answer = { readonly value: unknown } | { readonly error: string };

/** Awaits a call. An error that is none of the closed family is no answer: it is thrown on. */
export async function answerOf(call: () => Promise<unknown>): Promise<Answer> {
  try {
    return { value: withoutAttempts(await call()) };
  } catch (error) {
    if (!(error instanceof NightcrewError)) throw error;
    return { error: `${error.name} ${error.code}${error.retryable ? ' retryable' : ''}` };
  }
}

function withoutAttempts(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('attempts' in value)) return value;
  const { attempts: _attempts, ...rest } = value;
  return rest;
}

/** Two stores gave different answers. The message says where; fast-check finds the shortest sequence. */
export class DifferenceError extends Error {
  override readonly name = 'DifferenceError';

  constructor(where: string, memory: unknown, store: unknown) {
    super(`${where}\n  memory: ${shown(memory)}\n  store:  ${shown(store)}`);
  }
}

/** An operation or an answer as one line: long texts and lists are cut, so that a counterexample can be read. */
export function shown(value: unknown): string {
  return JSON.stringify(value, (_, value: unknown) => {
    if (Array.isArray(value) && value.length > 20) return [...value.slice(0, 1), `and ${value.length - 1} more`];
    if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
    return typeof value === 'string' && value.length > 60 ? `${value.slice(0, 3)}... ${value.length} chars` : value;
  });
}
