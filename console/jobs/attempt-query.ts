import type { AttemptListOptions } from '../../operate/attempts/attempt-filter.ts';
import { timeOf } from '../../operate/jobs/filter-params.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';

/** The fields of the page's form that hold a text. */
export const ATTEMPT_TEXTS = ['type', 'worker', 'tenant', 'outcome', 'reason', 'errorName', 'fingerprint', 'text', 'order'] as const;
/** The fields that are times. */
export const ATTEMPT_TIMES = ['from', 'to', 'dueFrom', 'dueTo'] as const;

/** Reads the address of the page of attempts. Throws InvalidInputError for times and numbers that are none; everything else is the admin's to check. */
export function attemptQuery(params: URLSearchParams, now: number): AttemptListOptions {
  const said = (name: string): string => params.get(name)?.trim() ?? '';
  const options: Record<string, unknown> = {};
  for (const name of [...ATTEMPT_TEXTS, 'after'] as const) if (said(name) !== '') options[name] = said(name);
  for (const name of ATTEMPT_TIMES) if (said(name) !== '') options[name] = new Date(timeOf(said(name), name, now));
  if (said('hasError') !== '') options['hasError'] = said('hasError') === 'true';
  if (said('minRun') !== '') options['minRunMs'] = secondsOf(said('minRun'));
  return options;
}

function secondsOf(text: string): number {
  if (/^\d{1,7}(\.\d{1,3})?$/.test(text)) return Math.round(Number(text) * 1_000);
  throw new InvalidInputError('minRun', text, 'Use seconds, such as 30 or 0.5.');
}

/** The words of `nightcrew attempts` that ask the same. */
export function attemptsCommand({ hasError, minRunMs, after: _after, ...options }: AttemptListOptions): readonly string[] {
  // Every other field is a text or a time here: the form has one value for each.
  const words = Object.entries(options as Readonly<Record<string, string | Date>>).flatMap(([name, value]) => {
    const flag = name === 'reason' ? 'of-reason' : name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return [`--${flag}`, value instanceof Date ? value.toISOString() : value];
  });
  return [
    'attempts',
    ...words,
    ...(hasError === undefined ? [] : [hasError ? '--with-error' : '--without-error']),
    ...(minRunMs === undefined ? [] : ['--min-run', `PT${minRunMs / 1_000}S`]),
  ];
}
