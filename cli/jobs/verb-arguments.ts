import type { BulkAction } from '../../shared/admin/verbs.ts';
import type { ArgumentFlag, JobVerb, VerbArgument } from '../../shared/admin/verbs/verb.ts';
import type { Call } from '../call.ts';
import { UsageError } from '../exit.ts';
import type { Flag } from '../verb.ts';

/** The flags of a verb's arguments. */
export function argumentFlags(verb: JobVerb): readonly Flag[] {
  return (verb.arguments ?? []).flatMap(({ flag, noneFlag }) => (noneFlag === undefined ? [flag] : [flag, noneFlag]));
}

/** The action that a call asks for. Throws UsageError for an argument that is missing. */
export function actionOf(verb: JobVerb, call: Call): BulkAction {
  const fields = (verb.arguments ?? []).map((argument) => [argument.field, valueOf(argument, call)] as const);
  return { verb: verb.name, ...Object.fromEntries(fields.filter(([, value]) => value !== undefined)) } as BulkAction;
}

function valueOf({ kind, required, flag, noneFlag }: VerbArgument, call: Call): number | Date | string | null | undefined {
  const name = optionOf(flag);
  switch (kind) {
    case 'whole':
      return orMissing(call.whole(name), flag, required);
    case 'instant': {
      const at = orMissing(call.instant(name, 'ahead'), flag, required);
      return at === undefined ? undefined : new Date(at);
    }
    case 'name': {
      const text = call.text(name);
      if (noneFlag === undefined) return orMissing(text, flag, required);
      if ((text === undefined) === !call.on(optionOf(noneFlag))) throw new UsageError(`say ${wordOf(flag)} or ${wordOf(noneFlag)}.`);
      return text ?? null;
    }
  }
}

function orMissing<Value>(value: Value | undefined, flag: ArgumentFlag, required: true | undefined): Value | undefined {
  if (value === undefined && required === true) throw new UsageError(`${wordOf(flag)} is missing.`);
  return value;
}

/** As it is typed: `--to-priority`. */
function wordOf({ flags }: ArgumentFlag): string {
  return flags.split(' ')[0] ?? flags;
}

/** As a call names it: `toPriority`. */
function optionOf(flag: ArgumentFlag): string {
  return wordOf(flag)
    .slice('--'.length)
    .replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
