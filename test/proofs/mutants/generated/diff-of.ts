import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GeneratedMutant, ROOT } from './mutants.ts';

/** The change of a mutant, as removed and added lines. */
export function diffOf({ id, file, line, change }: GeneratedMutant): string {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const [start, end] = [change.node.getStart(), change.node.getEnd()];
  const mutated = change.form === 'sooner' ? movedUp(text, change.node.getText(), change.before.getStart(), start) : replaced();
  const [before, after] = [text.split('\n'), mutated.split('\n')];
  let head = 0;
  while (head < before.length && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < Math.min(before.length, after.length) - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const lines = (sign: string, of: readonly string[]): string =>
    of
      .slice(head, of.length - tail)
      .map((one) => `  ${sign} ${one}\n`)
      .join('');
  return `${id}\n  ${file}:${line}\n${lines('-', before)}${lines('+', after)}`;

  function replaced(): string {
    if (change.form === 'catch') {
      const block = text.indexOf('{', start);
      return `${text.slice(0, block)}{ ${change.text} }${text.slice(end)}`;
    }
    const instead = change.form === 'sooner' ? '' : change.text;
    const comma = instead === '' ? (/^,\s?/.exec(text.slice(end))?.[0].length ?? 0) : 0;
    return text.slice(0, start) + instead + text.slice(end + comma);
  }
}

const movedUp = (text: string, moved: string, to: number, from: number): string =>
  `${text.slice(0, to)}${moved} ${text.slice(to, from)}${text.slice(from + moved.length)}`;
