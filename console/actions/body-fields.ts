import { InvalidInputError } from '../../shared/job/errors.ts';
import { instantMs } from '../../shared/job/instant.ts';
import { checkJobId } from '../../shared/job/job-id.ts';
import { checkText } from '../../shared/job/names.ts';
import type { Session } from '../page.ts';

/** An unvalidated body: any JSON. */
export type Body = Readonly<Record<string, unknown>>;

/** The job that is meant. */
export function idOf(body: Body): string {
  return checkJobId(body['id']);
}

/** The actor and an optional reason, for the audit. */
export function contextOf({ actor }: Session, body: Body): { readonly actor: string; readonly reason?: string } {
  const reason = textOf(body, 'reason');
  return reason === undefined ? { actor } : { actor, reason };
}

/** A text; blank means that none was given. */
export function textOf(body: Body, field: string): string | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new InvalidInputError(field, value, 'Give a text.');
  return checkText(value.trim() === '' ? undefined : value.trim(), field);
}

/** A text that a page has sent as it had it, with the spaces at its ends. */
export function exactOf(body: Body, field: string): string | undefined {
  const value = body[field];
  if (value === undefined || typeof value === 'string') return value;
  throw new InvalidInputError(field, value, 'Give a text.');
}

/** A whole number from a form field; blank means none. Its range is the verb's to check. */
export function wholeOf(body: Body, field: string): number | undefined {
  const value = body[field];
  if (value === undefined || value === null || value === '') return undefined;
  const whole =
    typeof value === 'number' ? value : typeof value === 'string' && /^\s*-?\d{1,15}\s*$/.test(value) ? Number(value) : Number.NaN;
  if (Number.isSafeInteger(whole)) return whole;
  throw new InvalidInputError(field, value, 'Give a whole number.');
}

/** As `wholeOf`, for a required field. */
export function wantedWhole(body: Body, field: string): number {
  const whole = wholeOf(body, field);
  if (whole === undefined) throw new InvalidInputError(field, body[field], 'Give a whole number.');
  return whole;
}

/** A box that is ticked or not. */
export function flagOf(body: Body, field: string): boolean {
  const value = body[field];
  if (value === undefined || value === null || value === false || value === '' || value === 'false') return false;
  if (value === true || value === 'on' || value === 'true') return true;
  throw new InvalidInputError(field, value, 'Use true or false.');
}

/** A time as people type it: an instant, or from now on such as `30m` or `PT30M`. */
export function timeOf(body: Body, field: string, now: number): Date | undefined {
  const text = textOf(body, field);
  if (text === undefined) return undefined;
  const ahead = /^(?:in )?(\d{1,6})\s?(s|m|h|d)$/.exec(text);
  if (ahead !== null) return new Date(now + Number(ahead[1]) * UNIT_MS[ahead[2] as keyof typeof UNIT_MS]);
  const at = instantIn(text, field);
  // A program with an unset date sends this.
  if (at !== undefined && at >= 0) return new Date(at);
  throw new InvalidInputError(
    field,
    text,
    'Use an instant from 1970 on such as 2026-01-31T12:00:00Z, or a time from now such as 30m or 2h.',
  );
}

function instantIn(text: string, field: string): number | undefined {
  try {
    return instantMs(text, field);
  } catch {
    return undefined;
  }
}

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
