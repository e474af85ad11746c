import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Rule } from '../simulation/check/violations.ts';
import type { FlowName } from './flows.ts';

/** A deliberate bug: a patch of one production file, put in when the file is loaded. The file itself is never touched. */
export interface Mutant {
  readonly name: string;
  /** Path from the root of the repository. */
  readonly file: string;
  /** Occurs exactly once in the file, or the mutant is refused: one that no longer applies proves nothing. */
  readonly find: string;
  readonly replace: string;
  /** At least one of these must be broken, so that a mutant that merely crashes does not count as caught. */
  readonly rules: readonly (Rule | NeedlessCost)[];
  /** What it does wrong, and who would suffer. */
  readonly why: string;
  /** A seed that is known to catch it: tried first; the search goes on when it no longer does. */
  readonly seed?: number;
  /** Lies in the adapter or behind it: hunted in worlds with a wire, where plain ones never load it. */
  readonly wire?: true;
  /** Only this flow can see it: no simulated half hour contains what it needs. */
  readonly flow?: FlowName;
}

/** What flows of test/exhaustive are held against besides the rules: the same run without faults. */
type NeedlessCost = 'needless-death' | 'needless-rescue' | 'needless-start' | 'forgotten-completion';

const ROOT = join(import.meta.dirname, '..', '..');

/** The mutant's text is not in its file, or is there more than once. */
export class MutantDoesNotApplyError extends Error {
  override readonly name = 'MutantDoesNotApplyError';
}

/** The source with the bug in it. */
export function mutated(source: string, mutant: Mutant): string {
  const parts = source.split(mutant.find);
  if (parts.length === 2) return parts.join(mutant.replace);
  throw new MutantDoesNotApplyError(
    `Mutant ${mutant.name} wants its text exactly once in ${mutant.file}, which has it ${parts.length - 1} times. Mend the mutant:\n${mutant.find}`,
  );
}

/** Throws MutantDoesNotApplyError for a mutant that would not change its file as it is now. */
export function checkApplies(mutant: Mutant): void {
  const source = readFileSync(join(ROOT, mutant.file), 'utf8');
  if (mutated(source, mutant) === source) throw new MutantDoesNotApplyError(`Mutant ${mutant.name} changes nothing.`);
}
