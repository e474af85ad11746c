import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** A run that broke a promise once: what repeats it, and what it showed. Every later run of its proof repeats it first. */
export interface KnownFailure {
  readonly showed: string;
  /** Not fixed yet: later runs report it and do not fail because of it. Remove it with the fix; the run must then hold. */
  readonly open?: boolean;
  /** The options that repeat the least of it, for the author of the fix. */
  readonly shrunk?: string;
}

/** The failures of a proof, in a file that is committed. */
export interface KnownFailures<Failure extends KnownFailure> {
  /** Those that are fixed, and must hold. */
  readonly closed: readonly Failure[];
  /** Those that are not fixed yet. */
  readonly open: readonly Failure[];
  /** Adds failures to the file as open, and prints those that were not there: a checkout that is thrown away keeps no file. */
  keep(found: readonly Failure[], print: (line: string) => void): void;
}

const MOST_SHOWN = 160;

/** The failures that are kept in the folder of a proof. */
export function knownFailures<Failure extends KnownFailure>(folder: string): KnownFailures<Failure> {
  const file = join(folder, 'known-failures.json');
  const read = (): readonly Failure[] => JSON.parse(readFileSync(file, 'utf8')) as readonly Failure[];
  const all = read();
  return {
    closed: all.filter(({ open }) => open !== true),
    open: all.filter(({ open }) => open === true),
    keep(found, print) {
      const known = [...read()];
      const added: Failure[] = [];
      let shrunkMore = false;
      for (const failure of found) {
        const at = known.findIndex((one) => sameRun(one, failure));
        const old = known[at];
        if (old === undefined) added.push({ ...failure, open: true });
        else if (old.open === true && failure.shrunk !== undefined && old.shrunk !== failure.shrunk) {
          known[at] = { ...old, shrunk: failure.shrunk };
          shrunkMore = true;
        }
      }
      if (added.length === 0 && !shrunkMore) return;
      // One a line, so that two branches can add to it.
      writeFileSync(file, `[\n${[...known, ...added].map((one) => `  ${JSON.stringify(one)}`).join(',\n')}\n]\n`);
      if (added.length === 0) return;
      print(`added to ${relative(process.cwd(), file)}; commit it, without "open" once it is fixed:`);
      for (const failure of added) print(`  ${JSON.stringify(failure)}`);
    },
  };
}

/** The finding of a failure, on one short line. */
export function shownBriefly(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN)}…` : line;
}

/** The first of each kind: one bug breaks many runs. */
export function oneOfEach<Item>(items: readonly Item[], kind: (item: Item) => string): readonly Item[] {
  return [...new Map(items.toReversed().map((item) => [kind(item), item])).values()].toReversed();
}

/** Repeats open failures and prints whether each still breaks a promise. None of them fails a run. */
export async function reportOpen<Failure extends KnownFailure>(
  open: readonly Failure[],
  breaks: (failure: Failure) => Promise<boolean>,
  print: (line: string) => void,
): Promise<void> {
  for (const failure of open) {
    const state = (await breaks(failure)) ? 'open, still broken' : 'open, but it holds now: remove its "open" from known-failures.json';
    print(`${state}: ${JSON.stringify(failure)}`);
  }
}

function sameRun(one: KnownFailure, other: KnownFailure): boolean {
  const repeats = ({ showed: _showed, open: _open, shrunk: _shrunk, ...rest }: KnownFailure): string => JSON.stringify(rest);
  return repeats(one) === repeats(other);
}
