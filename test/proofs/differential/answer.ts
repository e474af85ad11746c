import { NightcrewError } from '../../../shared/core/errors.ts';

/** What a call came to, in a form in which two stores can be compared: a value without `attempts`, or an error by its class and code. */
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

/** Two stores gave different answers. The message tells where; fast-check finds the shortest way there. */
export class DifferenceError extends Error {
  override readonly name = 'DifferenceError';

  constructor(where: string, memory: unknown, store: unknown) {
    super(`${where}\n  memory: ${JSON.stringify(memory)}\n  store:  ${JSON.stringify(store)}`);
  }
}
