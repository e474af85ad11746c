import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Options of a Node process in which the mutant is switched on. */
export function mutantOptions(name: string): readonly string[] {
  const url = pathToFileURL(join(import.meta.dirname, 'switch-on.ts'));
  url.searchParams.set('mutant', name);
  return ['--import', url.href];
}
