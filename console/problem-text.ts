import { causeChain, NightcrewError } from '../shared/core/errors.ts';
import { escapeUnseen } from '../shared/core/unseen.ts';

const MOST_FRAMES = 12;

/**
 * A failure that nobody expected, for the terminal: what was asked for, and of each error in the chain its name and where it was thrown.
 * Messages only of our own errors, which quote no payload: that of a parser quotes what it read. A path is what anybody asked for: what would
 * steer the terminal or begin another line is written out.
 */
export function problemText(what: string, error: unknown): string {
  const lines = causeChain(error).flatMap((link, depth) => {
    const name = link instanceof Error ? link.name : typeof link;
    const said = link instanceof NightcrewError && link.code !== 'ROW_UNREADABLE' ? `: ${link.message}` : '';
    return [`${depth === 0 ? '' : 'caused by '}${name}${said}`, ...(link instanceof Error ? framesOf(link) : [])];
  });
  return [`console: ${what}`, ...lines.map((line) => `  ${line}`)].map((line) => `${escapeUnseen(line)}\n`).join('');
}

/** The lines of a stack that name places: the message, which may have lines that look so, stands before the last of them. */
function framesOf({ message, stack = '' }: Error): readonly string[] {
  const at = stack.indexOf(message);
  const places = at < 0 ? '' : stack.slice(at + message.length);
  return places
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, MOST_FRAMES)
    .map((line) => `  ${line.trim()}`);
}
