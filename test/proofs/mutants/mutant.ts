import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Rule } from '../simulation/check/violations.ts';
import type { WideFault } from '../simulation/faults/wide-faults.ts';
import type { FlowName } from './flows.ts';

/** A deliberate bug: a patch of one production symbol, put in when its file is loaded. The file itself is never touched. */
export interface Mutant {
  readonly name: string;
  /** A top-level function, class or constant of the product, in any file. */
  readonly symbol: string;
  /** Must occur exactly once in the declaration of that name, or the mutant is refused: one that no longer applies proves nothing. */
  readonly find: string;
  readonly replace: string;
  /** At least one of these must be broken, so that a mutant that merely crashes does not count as caught. */
  readonly rules: readonly (Rule | NeedlessCost)[];
  /** The fault and its effect. */
  readonly why: string;
  /** A seed that is known to catch it: tried first; the search continues if it no longer does. */
  readonly seed?: number;
  /** No other fault shows it: with this one cut from it, the world of `seed` is clean. */
  readonly onlyBy?: WideFault;
  /** In the adapter or below: hunted in worlds with a wire, because plain ones do not load it; `batches`: where writes travel together. */
  readonly wire?: true | 'batches';
  /** Only this flow can see it: no simulated half hour contains what it needs. */
  readonly flow?: FlowName;
}

/** Compares flows of test/proofs/exhaustive with the same run without faults, in addition to the rules. */
type NeedlessCost = 'needless-death' | 'needless-rescue' | 'needless-start' | 'forgotten-completion';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const SOURCES = '{shared,functions,operate}/**/*.ts';
const DECLARED = /^(?:export )?(?:async )?(?:function|const|let|(?:abstract )?class) +([\w$]+)/gm;

/** The mutant's text does not occur in the declaration of its symbol, or more than once. */
export class MutantDoesNotApplyError extends Error {
  override readonly name = 'MutantDoesNotApplyError';
}

/** The source with the bug in it, or as it is if the bug is not about it. */
export function mutated(source: string, { symbol, find, replace }: Mutant): string {
  return declarationsIn(source)
    .map(({ name, text }) => (name === symbol && text.includes(find) ? text.split(find).join(replace) : text))
    .join('');
}

/** The file in which a mutant changes something. Throws MutantDoesNotApplyError for one that would not change one place of the product. */
export function fileOf(mutant: Mutant): string {
  const { name, symbol, find, replace } = mutant;
  const places = (declarations().get(symbol) ?? []).flatMap(({ file, text }) =>
    text
      .split(find)
      .slice(1)
      .map(() => file),
  );
  const [file] = places;
  if (file !== undefined && places.length === 1 && find !== replace) return file;
  throw new MutantDoesNotApplyError(
    `Mutant ${name} wants its text exactly once in ${symbol}, which has it ${places.length} times. Fix the mutant:\n${find}`,
  );
}

let declared: ReadonlyMap<string, readonly { readonly file: string; readonly text: string }[]> | undefined;

/** What the product declares, by name. Read once in a process. */
function declarations(): NonNullable<typeof declared> {
  declared ??= Map.groupBy(
    globSync(SOURCES, { cwd: ROOT }).flatMap((file) =>
      declarationsIn(readFileSync(join(ROOT, file), 'utf8')).map((one) => ({ ...one, file })),
    ),
    ({ name }) => name,
  );
  return declared;
}

/** A source, cut where something is declared at its top. */
function declarationsIn(source: string): readonly { readonly name: string; readonly text: string }[] {
  const starts = [...source.matchAll(DECLARED)].map(({ 1: name = '', index }) => ({ name, index }));
  const cuts = [{ name: '', index: 0 }, ...starts];
  return cuts.map(({ name, index }, at) => ({ name, text: source.slice(index, cuts[at + 1]?.index) }));
}
