/** A Lambda that does what its event says, for tests of the sandbox it runs in. */
import { writeSync } from 'node:fs';

interface Action {
  readonly do: 'environment' | 'hang' | 'spin' | 'exit' | 'throw' | 'print' | 'count' | 'meet' | 'sandbox';
  readonly ms?: number;
  readonly text?: string;
}

let calls = 0;
let ticks = 0;
let lastTick = 0;
let longestPause = 0;

function tick(): void {
  const now = Date.now();
  if (lastTick > 0) longestPause = Math.max(longestPause, now - lastTick);
  lastTick = now;
  ticks += 1;
}

export async function handler(action: Action, context: { readonly getRemainingTimeInMillis: () => number }): Promise<unknown> {
  calls += 1;
  switch (action.do) {
    case 'environment':
      return { environment: { ...process.env }, argv: process.argv.slice(2), cwd: process.cwd() };
    case 'hang':
      return new Promise((resolve) => setTimeout(resolve, action.ms ?? 2 ** 30));
    case 'spin':
      for (;;) calls += 1;
    case 'exit':
      return process.exit(3);
    case 'throw':
      throw new TypeError(action.text);
    case 'print':
      writeSync(1, `${action.text} to stdout\n`);
      writeSync(2, `${action.text} to stderr\n`);
      return undefined;
    case 'count':
      if (ticks === 0) setInterval(tick, 5);
      tick();
      return { ticks, longestPause };
    case 'meet':
      await new Promise((resolve) => setTimeout(resolve, action.ms));
      return { pid: process.pid, calls, at: Date.now() };
    case 'sandbox':
      return { pid: process.pid, calls, remaining: context.getRemainingTimeInMillis() };
  }
}
