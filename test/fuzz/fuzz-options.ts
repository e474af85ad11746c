import { parseArgs } from 'node:util';

/** What `npm run fuzz` was asked to do. */
export interface FuzzOptions {
  /** For all targets together. */
  readonly seconds: number;
  /** Absent: another one each time. */
  readonly seed?: number;
  readonly target?: string;
  readonly json: boolean;
  readonly help: boolean;
}

/** A command line that cannot be followed. */
export class UsageError extends Error {}

/** Reads the arguments; `targets` are the names that `--target` may give. */
export function readFuzzOptions(args: readonly string[], targets: readonly string[]): FuzzOptions {
  const { seconds = '60', seed, target, json = false, help = false } = parse(args);
  if (target !== undefined && !targets.includes(target)) {
    throw new UsageError(`--target: ${JSON.stringify(target)} is not one of ${targets.join(', ')}.`);
  }
  return {
    seconds: whole('seconds', seconds, 1, 86_400),
    json,
    help,
    ...(seed === undefined ? {} : { seed: whole('seed', seed, 0, 2 ** 31 - 1) }),
    ...(target === undefined ? {} : { target }),
  };
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    return parseArgs({ args: [...args], options: { seconds: text, seed: text, target: text, json: flag, help: flag } }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function whole(name: string, text: string, min: number, max: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new UsageError(`--${name}: ${JSON.stringify(text)} is not valid. Use a whole number from ${min} to ${max}.`);
}
