import { editTo, type FieldValues, removing, SCHEDULE_FIELDS, type ScheduleField } from '../../operate/schedule-fields.ts';
import type { ArgumentFlag } from '../../operate/verbs/verb.ts';
import type { ScheduleEdit } from '../../shared/features/schedules/model/edit.ts';
import { defined } from '../../shared/job/defined.ts';
import type { Call } from '../call.ts';
import { UsageError } from '../exit.ts';
import { readJson } from '../jobs/read-json.ts';
import { optionOf, wordOf } from '../jobs/verb-arguments.ts';
import type { Flag } from '../verb.ts';

/** What both a new schedule and an edit may say. */
export const FIELD_FLAGS: readonly Flag[] = [
  ...SCHEDULE_FIELDS.map(({ flag, kind, choices }) => ({
    ...flag,
    ...defined({ choices, many: kind === 'days' ? (true as const) : undefined }),
  })),
  { flags: '--payload <json>', doc: 'payload of its runs: JSON, @file, or - for the standard input' },
];

/** The options with which an edit removes what a schedule may be without. */
export const NONE_FLAGS: readonly Flag[] = SCHEDULE_FIELDS.flatMap(({ noneFlag }) => noneFlag ?? []);

/** Reads the fields from the options of a call. Throws UsageError for an unreadable value, for half a policy of clock changes, and for a value together with the option that removes it, unless both share a name: then the later one counts. */
export async function fieldsOf(call: Call): Promise<ScheduleEdit> {
  const values: FieldValues = Object.fromEntries(SCHEDULE_FIELDS.map((field) => [field.name, valueOf(call, field)]));
  if ((values.dstGap === undefined) !== (values.dstOverlap === undefined))
    throw new UsageError('--dst-gap and --dst-overlap are one policy: give both.');
  const removed = SCHEDULE_FIELDS.filter(({ noneFlag }) => noneFlag !== undefined && isOn(call, noneFlag));
  for (const { name, flag, noneFlag = flag } of removed)
    if (values[name] !== undefined) throw new UsageError(`use ${wordOf(flag)} or ${wordOf(noneFlag)}.`);
  const payload = call.text('payload') === undefined ? {} : { payload: await readJson(call, 'payload') };
  return { ...editTo(values), ...removing(removed), ...payload };
}

function valueOf(call: Call, { kind, flag }: ScheduleField): FieldValues[keyof FieldValues] {
  const option = optionOf(flag);
  switch (kind) {
    case 'days':
      return call.texts(option);
    case 'instant':
      return call.instant(option, 'ahead');
    case 'duration':
      return call.duration(option);
    case 'whole':
      return call.whole(option);
    default:
      return call.text(option);
  }
}

/** Commander keeps `--no-from` as a `from` that is false. */
function isOn(call: Call, flag: ArgumentFlag): boolean {
  const [, negated] = /^--no-(.+)$/.exec(flag.flags) ?? [];
  return negated === undefined ? call.on(optionOf(flag)) : call.off(optionOf({ ...flag, flags: `--${negated}` }));
}
