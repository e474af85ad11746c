import { isDeepStrictEqual } from 'node:util';
import { editTo, type FieldValues, removing, SCHEDULE_FIELDS, type ScheduleField } from '../../operate/schedule-fields.ts';
import type { ScheduleEdit } from '../../shared/features/schedules/model/edit.ts';
import { durationMs } from '../../shared/job/duration.ts';
import { type Body, textOf, timeOf, wholeOf } from './body-fields.ts';

/** The values of a schedule's fields in a body, which has texts such as `{ exclude: 'SAT, 12-25', from: '2h', jitter: 'PT5M' }`. */
export function valuesOf(body: Body, now: number): FieldValues {
  return Object.fromEntries(SCHEDULE_FIELDS.map((field) => [field.name, valueOf(field, body, now)]));
}

function valueOf({ name, kind }: ScheduleField, body: Body, now: number): FieldValues[keyof FieldValues] {
  switch (kind) {
    case 'days':
      return daysOf(textOf(body, name));
    case 'instant':
      return timeOf(body, name, now)?.getTime();
    case 'duration': {
      const text = textOf(body, name);
      return text === undefined ? undefined : durationMs(text, name);
    }
    case 'whole':
      return wholeOf(body, name);
    default:
      return textOf(body, name);
  }
}

/** Days between commas or spaces; undefined for none. */
function daysOf(text: string | undefined): readonly string[] | undefined {
  const days = text?.split(/[\s,]+/).filter((day) => day !== '');
  return days?.length === 0 ? undefined : days;
}

/** The edit that takes a schedule to the values of a form. An empty field removes what a schedule may be without. */
export function editBetween(before: FieldValues, form: FieldValues): ScheduleEdit {
  const gone = SCHEDULE_FIELDS.filter(({ name, optional }) => optional === true && before[name] !== undefined && form[name] === undefined);
  const [was, edit] = [editTo(before), editTo(form)];
  const changed = Object.entries(edit).filter(([name, value]) => !isDeepStrictEqual(value, was[name as keyof ScheduleEdit]));
  return { ...removing(gone), ...Object.fromEntries(changed) };
}
