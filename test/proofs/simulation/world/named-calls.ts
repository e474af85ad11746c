import { AsyncLocalStorage } from 'node:async_hooks';

/** One call of a client's or operator's verb. What it writes carries it, so that nobody has to guess what a write is for. */
export interface Call {
  readonly name: string;
  /** What it was called with. */
  readonly args: readonly unknown[];
  /** Jobs of which it wrote a step. */
  readonly steps: Set<string>;
}

const calls = new AsyncLocalStorage<Call>();

/** The call on whose behalf this code runs, if it does. */
export const presentCall = (): Call | undefined => calls.getStore();

/** Told the answer of each call that ended well. */
export type Answered = (call: Call, args: readonly unknown[], answer: unknown) => void;

/** The same verbs, each naming itself for as long as it works. */
export function namedCalls<Verbs extends object>(verbs: Verbs, answered: Answered, prefix = ''): Verbs {
  return new Proxy(verbs, {
    get(target, property): unknown {
      const member: unknown = Reflect.get(target, property);
      const name = `${prefix}${String(property)}`;
      if (typeof member === 'object' && member !== null) return namedCalls(member, answered, `${name}.`);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        const named = name === 'bulk' ? `bulk ${(args[0] as { readonly verb: string }).verb}` : name;
        const call: Call = { name: named, args, steps: new Set() };
        const result: unknown = calls.run(call, () => Reflect.apply(member, target, args) as unknown);
        if (!(result instanceof Promise)) return result;
        return result.then((answer: unknown) => {
          answered(call, args, answer);
          return answer;
        });
      };
    },
  });
}
