import { InvalidInputError, shown } from '../../shared/job/errors.ts';
import { typedJson } from '../../shared/job/exact-json.ts';
import type { Call } from '../call.ts';
import { UsageError } from '../exit.ts';

/** The JSON of an option: typed, `@file`, or `-` for the standard input. Throws UsageError, also for an option that is missing. */
export async function readJson(call: Call, option: string): Promise<unknown> {
  const given = call.text(option);
  if (given === undefined) throw new UsageError(`--${option} is missing: JSON, @file, or - for the standard input.`);
  const text = given === '-' ? await read(call, option, '-') : given.startsWith('@') ? await read(call, option, given.slice(1)) : given;
  try {
    return typedJson(text, option);
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    const { cause, fix } = error;
    const quotes = cause === undefined ? '' : ` Put a string in quotes: '"done"'.`;
    throw new UsageError(`--${option}: ${fix}${quotes}`);
  }
}

async function read(call: Call, option: string, path: string): Promise<string> {
  return call.io.readText(path).catch(() => {
    throw new UsageError(`--${option}: ${shown(path)} cannot be read.`);
  });
}
