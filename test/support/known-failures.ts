import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** A run that broke a promise once, in the words that repeat it, and what it showed. Every later run of its proof repeats it first. */
export interface KnownFailure {
  readonly showed: string;
}

/** The failures of a proof, in a file that is committed. */
export interface KnownFailures<Failure extends KnownFailure> {
  readonly all: readonly Failure[];
  /** Adds failures to the file and prints those that were not there: a checkout that is thrown away keeps no file. */
  keep(found: readonly Failure[], print: (line: string) => void): void;
}

const MOST_SHOWN = 160;

/** The failures that are kept in the folder of a proof. */
export function knownFailures<Failure extends KnownFailure>(folder: string): KnownFailures<Failure> {
  const file = join(folder, 'known-failures.json');
  const read = (): readonly Failure[] => JSON.parse(readFileSync(file, 'utf8')) as readonly Failure[];
  return {
    all: read(),
    keep(found, print) {
      const known = [...read()];
      const before = known.length;
      for (const failure of found) if (!known.some((one) => sameRun(one, failure))) known.push(failure);
      const added = known.slice(before);
      if (added.length === 0) return;
      // One a line, so that two branches can add to it.
      writeFileSync(file, `[\n${known.map((one) => `  ${JSON.stringify(one)}`).join(',\n')}\n]\n`);
      print(`added to ${relative(process.cwd(), file)}, which every run repeats first; commit it with the fix:`);
      for (const failure of added) print(`  ${JSON.stringify(failure)}`);
    },
  };
}

/** What a failure showed, on one line that is not too long. */
export function shownBriefly(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN)}…` : line;
}

/** The first of each kind: one bug breaks many runs. */
export function oneOfEach<Item>(items: readonly Item[], kind: (item: Item) => string): readonly Item[] {
  return [...new Map(items.toReversed().map((item) => [kind(item), item])).values()].toReversed();
}

function sameRun({ showed: _one, ...a }: KnownFailure, { showed: _other, ...b }: KnownFailure): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
