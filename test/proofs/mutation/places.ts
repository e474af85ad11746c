import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript-5-9';
import { parsed, symbolOf } from '../mutants/symbols.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** The location of an edit, whatever is around it. */
export interface Place {
  /** The path of the declarations around it, such as `readLanes.bound`; empty outside of all. */
  readonly symbol: string;
  /** Its place among identical texts of the symbol, such as `2/3`; absent if the text is unique there. */
  readonly place?: string;
}

/** The text of a syntax node. Offsets are those of the source; white space in `text` is collapsed. */
interface PlacedText extends Place {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export const squeezed = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Every text of a source that an edit may replace, in the order of the source. */
export function textsOf(file: string, text: string): readonly PlacedText[] {
  const source = parsed(file, text);
  const found = new Map<string, PlacedText>();
  const walk = (node: ts.Node, path: readonly string[]): void => {
    const [start, end] = [node.getStart(source), node.getEnd()];
    const symbol = path.join('.');
    if (!found.has(`${start}-${end}`)) found.set(`${start}-${end}`, { symbol, text: squeezed(text.slice(start, end)), start, end });
    const name = symbolOf(node);
    const inside = name === undefined ? path : [...path, name];
    ts.forEachChild(node, (child) => walk(child, inside));
  };
  walk(source, []);
  const sorted = [...found.values()].toSorted((a, b) => a.start - b.start || b.end - a.end);
  const alike = Map.groupBy(sorted, ({ symbol, text: of }) => JSON.stringify([symbol, of]));
  return sorted.map((one) => {
    const all = alike.get(JSON.stringify([one.symbol, one.text])) ?? [];
    return all.length > 1 ? { ...one, place: `${all.indexOf(one) + 1}/${all.length}` } : one;
  });
}

/** Where the text between two offsets of a source is. */
export function placeOf(texts: readonly PlacedText[], start: number, end: number): Place {
  const exact = texts.find((one) => one.start === start && one.end === end);
  // A part of a syntax node is placed like the least node around it.
  const { symbol = '', place } = exact ?? texts.findLast((one) => one.start <= start && one.end >= end) ?? {};
  return place === undefined ? { symbol } : { symbol, place };
}

/** The text that an explanation is about. */
export interface ExplainedText extends Place {
  readonly file: string;
  readonly original: string;
}

/** Explanations of texts that are no longer there, each with where the text is now. Parses only the files that they name. */
export function goneTexts(
  explanations: readonly ExplainedText[],
  textsIn: (file: string) => readonly PlacedText[] = read,
): readonly string[] {
  return [...Map.groupBy(explanations, ({ file }) => file)].flatMap(([file, named]) => {
    const alike = Map.groupBy(textsIn(file), ({ text }) => text);
    return named.flatMap((one) => {
      const now = alike.get(one.original) ?? [];
      return now.some(({ symbol, place }) => symbol === one.symbol && place === one.place) ? [] : [repairOf(one, now)];
    });
  });
}

function repairOf({ file, original, ...place }: ExplainedText, now: readonly Place[]): string {
  const elsewhere = now.length === 0 ? 'It is gone from the file.' : `It is now in ${now.map(shown).join(', ')}.`;
  return (
    `${file}: ${original} is not in ${shown(place)}. ${elsewhere} Correct the entry of survivors.json, or remove it. ` +
    `To see which are not noticed: npm run mutation -- --json --files ${file}`
  );
}

/** A place for readers. */
export const shown = ({ symbol, place }: Place): string =>
  `${symbol === '' ? 'the file itself' : symbol}${place === undefined ? '' : ` (${place})`}`;

const read = (file: string): readonly PlacedText[] =>
  existsSync(join(ROOT, file)) ? textsOf(file, readFileSync(join(ROOT, file), 'utf8')) : [];
