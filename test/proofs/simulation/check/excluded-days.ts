import type { RecurrenceInput } from '../../../../shared/features/schedules/model/recurrence.ts';

const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * Whether the clocks of the zone show an excluded day. It shares no code with what it judges: the runtime names the day. Ranges that go beyond the end
 * of a year are not known here.
 */
export function isExcludedDay({ zone = 'UTC', exclude = [] }: RecurrenceInput, at: number): boolean {
  if (exclude.length === 0) return false;
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' });
  formats.set(zone, format);
  const date = format.format(at);
  const names = [date, date.slice('2026-'.length), new Date(date).toUTCString().slice(0, 'Wed'.length).toUpperCase()];
  return exclude.some((entry) => {
    const [first = '', last = first] = entry.split('/');
    return names.some((name) => name.length === first.length && first <= name && name <= last);
  });
}
