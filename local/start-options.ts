import { parseArgs } from 'node:util';
import { defined } from '../shared/job/defined.ts';

/** The options of `npm start`. */
export interface StartOptions {
  readonly once: boolean;
  readonly json: boolean;
  readonly help: boolean;
  /** Orders per second. */
  readonly rate: number;
  /** With `once` the size of the scenario, otherwise where the traffic ends; absent: never. */
  readonly orders?: number;
  readonly seed: number;
  /** Whether the console is started too. */
  readonly console: boolean;
  /** Port of the console; absent: a free one. */
  readonly port?: number;
}

/** An invalid command line; the message gives the reason and the valid options. */
export class UsageError extends Error {}

export const USAGE = `Usage: npm start [-- options]

Runs a region on this machine (DynamoDB, SQS, executors, ticks) with the order service as its example.

  --once         play a fixed scenario, print a summary, exit 0 only if every job ended where it should
  --json         with --once: print the summary as one line of JSON
  --orders <n>   with --once: orders of the scenario (default 30); otherwise stop ordering after n
  --rate <n>     orders per second (default 2, with --once 20)
  --seed <n>     seed of the example's failures (default 1)
  --no-console   start no console in the browser (with --once there is none)
  --port <n>     port of the console (default: PORT of the environment, or a free one)
  --help         print this
`;

/** Reads the arguments. Throws UsageError for an unknown flag or a value outside its range. */
export function readStartOptions(args: readonly string[], portOfEnvironment?: string): StartOptions {
  const { once = false, json = false, help = false, 'no-console': noConsole = false, ...numbers } = parse(args);
  if (json && !once) throw new UsageError('--json: only the summary of --once can be printed as JSON. Add --once.');
  const orders = readNumber('orders', numbers.orders, { min: 1, max: 100_000, whole: true }) ?? (once ? 30 : undefined);
  const port = readNumber(numbers.port === undefined ? 'PORT' : 'port', numbers.port ?? (portOfEnvironment || undefined), {
    min: 0,
    max: 65_535,
    whole: true,
  });
  return {
    once,
    json,
    help,
    console: !once && !noConsole,
    rate: readNumber('rate', numbers.rate, { min: 0.01, max: 1_000 }) ?? (once ? 20 : 2),
    seed: readNumber('seed', numbers.seed, { min: 0, max: 2 ** 32 - 1, whole: true }) ?? 1,
    ...defined({ orders, port }),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      strict: true,
      allowPositionals: false,
      options: {
        once: { type: 'boolean' },
        json: { type: 'boolean' },
        'no-console': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
        rate: { type: 'string' },
        port: { type: 'string' },
        orders: { type: 'string' },
        seed: { type: 'string' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function readNumber(
  name: string,
  text: string | undefined,
  range: { readonly min: number; readonly max: number; readonly whole?: boolean },
): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= range.min && value <= range.max && (range.whole !== true || Number.isInteger(value))) return value;
  throw new UsageError(
    `${name === 'PORT' ? '' : '--'}${name}: ${JSON.stringify(text)} is not valid. Use a ${range.whole === true ? 'whole ' : ''}number from ${range.min} to ${range.max}.`,
  );
}
