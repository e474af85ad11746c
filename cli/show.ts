import { checkZone } from '../shared/features/schedules/model/zone.ts';
import type { CommandIo } from './command-io.ts';
import { jsonText, plain } from './text/plain.ts';
import { painter, type Style } from './text/style.ts';
import { type Sheet, tableLines } from './text/table.ts';
import { agoText, coarseAgo, wallText } from './text/time.ts';

/** The output of `--json`: always an object, with lists by name, so that fields can be added later. */
export type Document = object & { readonly length?: never };

/** The output of a call. */
export interface Show {
  readonly json: boolean;
  readonly zone: string;
  /** One JSON document; null if not found. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- a parameter of the type itself would refuse each property of an object literal
  data<Value extends Document>(value: Value | null): void;
  /** A line of text; users' texts must have gone through `plain`. */
  line(text: string): void;
  sheet(sheet: Sheet): void;
  paint(style: Style, text: string): string;
  /** Clock time with its zone and how long ago: `2026-01-31 14:05:09 Europe/Berlin (3m ago)`. */
  time(at: Date): string;
  /** The age for lists, in one unit: `3m ago`. */
  age(at: Date): string;
}

const DEFAULT_COLUMNS = 120;

/** Shows on the standard output; colours only for a terminal, and not where NO_COLOR is set. */
export function showOn(
  io: CommandIo,
  { json, color, zone }: { readonly json: boolean; readonly color: boolean; readonly zone: string | undefined },
): Show {
  const place = checkZone(zone ?? io.zone, '--zone');
  const paint = painter(io.terminal.out && color && !json && (io.environment['NO_COLOR'] ?? '') === '');
  const line = (text: string): void => io.out(`${text}\n`);
  return {
    json,
    zone: place,
    data: (value) => line(jsonText(value)),
    line,
    sheet(sheet) {
      if (sheet.rows.length === 0) line(sheet.empty);
      else for (const text of tableLines(sheet, { paint, ...widthOn(io) })) line(text);
      for (const note of sheet.notes ?? []) line(paint('quiet', plain(note)));
    },
    paint,
    time: (at) => `${wallText(at.getTime(), place)} ${place} (${agoText(at.getTime(), io.now())})`,
    age: (at) => coarseAgo(at.getTime(), io.now()),
  };
}

function widthOn({ terminal }: CommandIo): { readonly width?: number } {
  return terminal.out ? { width: terminal.columns > 0 ? terminal.columns : DEFAULT_COLUMNS } : {};
}
