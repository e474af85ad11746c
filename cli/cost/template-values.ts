/** A JSON object, read with care. */
export type Plain = Readonly<Record<string, unknown>>;

/** The object, or an empty one for anything else. */
export function asRecord(value: unknown): Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Plain) : {};
}

/** The list, or an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The logical id that `Ref` or `Fn::GetAtt` points to; a plain text stays what it is. */
export function logicalIdOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const { Ref, 'Fn::GetAtt': attribute } = asRecord(value);
  const target = Ref ?? listOf(attribute)[0];
  return typeof target === 'string' ? target : '';
}

const MINUTES: Readonly<Record<string, number>> = { minute: 1, hour: 60, day: 1_440 };

/** Minutes between two ticks of `rate(...)`; undefined for a cron expression. */
export function everyMinutesOf(expression: unknown): number | undefined {
  const [, every, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(typeof expression === 'string' ? expression : '') ?? [];
  return every === undefined || unit === undefined ? undefined : Number(every) * (MINUTES[unit] ?? 0);
}
