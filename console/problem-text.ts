import { causeChain, NightcrewError } from '../shared/job/errors.ts';
import { escapeUnseen } from '../shared/job/escape-unseen.ts';

const MAX_FRAMES = 12;

/**
 * An unexpected failure, for the terminal: the request, and each error of the chain with its name and where it was thrown.
 * Messages only of our own errors, which quote no payload: that of a parser quotes its input. A path is untrusted input: what would
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

/** The lines of a stack that name locations: the message, which may contain lines that look like them, comes before. */
function framesOf({ message, stack = '' }: Error): readonly string[] {
  const at = stack.indexOf(message);
  const places = at < 0 ? '' : stack.slice(at + message.length);
  return places
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, MAX_FRAMES)
    .map((line) => `  ${line.trim()}`);
}
