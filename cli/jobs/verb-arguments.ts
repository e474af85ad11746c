import type { BulkAction } from '../../operate/verbs.ts';
import type { ArgumentFlag, JobVerb, VerbArgument } from '../../operate/verbs/verb.ts';
import type { JobState } from '../../shared/job/job.ts';
import type { Call } from '../call.ts';
import { UsageError } from '../exit.ts';
import type { Flag } from '../verb.ts';
import { readJson } from './read-json.ts';

/** The flags of a verb's arguments; with a `state`, of a command for jobs in that state. */
export function argumentFlags(verb: JobVerb, state?: JobState): readonly Flag[] {
  const given = (verb.arguments ?? []).filter(({ widens }) => state === undefined || widens !== true);
  return given.flatMap(({ flag, noneFlag }) => (noneFlag === undefined ? [flag] : [flag, noneFlag]));
}

/** The action of a call. Throws UsageError for a missing argument. */
export async function actionOf(verb: JobVerb, call: Call): Promise<BulkAction> {
  const fields: (readonly [string, unknown])[] = [];
  for (const argument of verb.arguments ?? []) fields.push([argument.field, await valueOf(argument, call)]);
  return { verb: verb.name, ...Object.fromEntries(fields.filter(([, value]) => value !== undefined)) } as BulkAction;
}

async function valueOf({ kind, required, flag, noneFlag }: VerbArgument, call: Call): Promise<unknown> {
  const name = optionOf(flag);
  switch (kind) {
    case 'whole':
      return orMissing(call.whole(name), flag, required);
    case 'instant':
      return orMissing(call.date(name, 'ahead'), flag, required);
    case 'name': {
      const text = call.text(name);
      if (noneFlag === undefined) return orMissing(text, flag, required);
      if ((text === undefined) === !call.on(optionOf(noneFlag))) throw new UsageError(`use ${wordOf(flag)} or ${wordOf(noneFlag)}.`);
      return text ?? null;
    }
    case 'json':
      return required === true || call.text(name) !== undefined ? readJson(call, name) : undefined;
    case 'flag':
      return call.on(name) ? true : undefined;
  }
}

function orMissing<Value>(value: Value | undefined, flag: ArgumentFlag, required: true | undefined): Value | undefined {
  if (value === undefined && required === true) throw new UsageError(`${wordOf(flag)} is missing.`);
  return value;
}

/** As it is typed: `--to-priority`. */
export function wordOf({ flags }: ArgumentFlag): string {
  return flags.split(' ')[0] ?? flags;
}

/** As a call names it: `toPriority`. */
export function optionOf(flag: ArgumentFlag): string {
  return wordOf(flag)
    .slice('--'.length)
    .replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
