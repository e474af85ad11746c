import { html } from 'hono/html';
import type { InstantWords } from '../../operate/verbs/verb.ts';
import type { Html, Session } from '../page.ts';

type InZone = Pick<Session, 'zone' | 'now'>;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const formats = new Map<string, Intl.DateTimeFormat>();

/** A duration in its two largest units: `850 ms`, `4.2 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export function duration(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < MINUTE) return `${ms < 10 * SECOND ? (Math.floor(ms / 100) / 10).toString() : Math.floor(ms / SECOND)} s`;
  const [unit, name, below, smaller] =
    ms < HOUR
      ? ([MINUTE, 'min', SECOND, 's'] as const)
      : ms < DAY
        ? ([HOUR, 'h', MINUTE, 'min'] as const)
        : ([DAY, 'd', HOUR, 'h'] as const);
  const rest = Math.floor((ms % unit) / below);
  return `${Math.floor(ms / unit)} ${name}${rest === 0 ? '' : ` ${rest} ${smaller}`}`;
}

/** How long ago or how far ahead: `3 min ago`, `in 2 h`, `now` within a second. */
export function relative(at: number, now: number): string {
  const apart = Math.abs(now - at);
  if (apart < SECOND) return 'now';
  const coarse =
    apart < MINUTE
      ? `${Math.floor(apart / SECOND)} s`
      : apart < HOUR
        ? `${Math.floor(apart / MINUTE)} min`
        : apart < DAY
          ? `${Math.floor(apart / HOUR)} h`
          : `${Math.floor(apart / DAY)} d`;
  return at > now ? `in ${coarse}` : `${coarse} ago`;
}

/** An instant in the zone of the session: `2026-01-31 14:05:09`. */
export function inZone(at: Date, zone: string): string {
  return format(zone, false)
    .format(at)
    .replace(',', '')
    .replace(/\u202f/g, ' ');
}

/** An instant within a sentence, with its zone and without a tooltip. */
export function inWords(at: Date, zone: string): string {
  return `${inZone(at, zone)} (${zone})`;
}

/** As `inWords`, for an instant as an operator gave it. */
export function instantWords(zone: string): InstantWords {
  return (instant) => {
    const at = new Date(instant);
    return Number.isNaN(at.getTime()) ? String(instant) : inWords(at, zone);
  };
}

/** An instant with its age; the zone and the instant in UTC are in its tooltip. `-` for none. */
export function when(at: Date | undefined, session: InZone): Html {
  if (at === undefined) return html`<span class="none">-</span>`;
  if (Number.isNaN(at.getTime())) return html`<span class="none">unreadable</span>`;
  const title = `${format(session.zone, true).format(at)} (${session.zone}), ${at.toISOString()}`;
  return html`<time datetime="${at.toISOString()}" title="${title}"
    >${inZone(at, session.zone)} <span class="age">${relative(at.getTime(), session.now())}</span></time
  >`;
}

function format(zone: string, long: boolean): Intl.DateTimeFormat {
  const key = `${zone}/${long}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  // The Swedish locale writes dates as ISO 8601 does.
  const made = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    ...(long ? { timeZoneName: 'longOffset' } : {}),
  });
  formats.set(key, made);
  return made;
}
