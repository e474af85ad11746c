import type { BulkProgress } from '../../operate/bulk/bulk-verbs.ts';
import type { CommandIo } from '../command-io.ts';
import { lengthText } from '../text/time.ts';

/** A progress line on the standard error; nothing if that is not a terminal. */
export interface ProgressLine {
  readonly to: (progress: BulkProgress) => void;
  /** Takes the line away. */
  readonly end: () => void;
}

const BAR = 24;
const CLEAR = '\r\u001b[2K';

/** With a total a bar and the time that is left, without one only the counts. */
export function progressOn(io: CommandIo, what: string, total?: number): ProgressLine {
  if (!io.terminal.err) return { to: () => {}, end: () => {} };
  const began = io.now();
  let shown = false;
  return {
    to: (progress) => {
      shown = true;
      io.err(`${CLEAR}${progressText(what, progress, { total, tookMs: io.now() - began, columns: io.terminal.columns })}`);
    },
    end: () => {
      if (shown) io.err(CLEAR);
    },
  };
}

/** `redrive [######------] 560 of 1,234, 12 a second, 56s left`, no longer than the terminal is wide. */
export function progressText(
  what: string,
  { matched, done, failed, leftAlone }: BulkProgress,
  terms: { readonly total: number | undefined; readonly tookMs: number; readonly columns: number },
): string {
  const left = Object.values(leftAlone).reduce((sum, count) => sum + count, 0);
  const passed = done + failed + left;
  const perSecond = terms.tookMs < 1_000 ? 0 : (passed * 1_000) / terms.tookMs;
  const parts =
    terms.total === undefined || terms.total === 0
      ? [`${what} ${number(matched)} matched`, ...(passed > 0 ? [`${number(done)} done`] : [])]
      : [`${what} ${bar(passed / terms.total)} ${number(passed)} of ${number(terms.total)}`];
  if (left > 0) parts.push(`${number(left)} left alone`);
  if (failed > 0) parts.push(`${number(failed)} failed`);
  if (perSecond > 0) parts.push(`${number(Math.round(perSecond))} a second`);
  if (perSecond > 0 && terms.total !== undefined && terms.total > passed) {
    parts.push(`${lengthText(((terms.total - passed) / perSecond) * 1_000)} left`);
  }
  return parts.join(', ').slice(0, Math.max(20, terms.columns - 1));
}

function bar(share: number): string {
  const full = Math.round(BAR * Math.min(1, Math.max(0, share)));
  return `[${'#'.repeat(full)}${'-'.repeat(BAR - full)}]`;
}

function number(count: number): string {
  return count.toLocaleString('en-US');
}
