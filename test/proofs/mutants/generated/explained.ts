import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mutantsOf, ROOT } from './mutants.ts';

/** Why mutants that no test notices are no faults, by their ids; a file for each folder. */
export const explained = (): ReadonlyMap<string, string> =>
  new Map(
    globSync('*.json', { cwd: join(import.meta.dirname, 'explained') }).flatMap((file) =>
      Object.entries(JSON.parse(readFileSync(join(import.meta.dirname, 'explained', file), 'utf8')) as Record<string, string>),
    ),
  );

/** Those of these ids that name no mutant any more, each with what it may be now. Parses only the files that the ids name. */
export function goneMutants(ids: readonly string[], idsIn: (file: string) => readonly string[] = idsOf): readonly string[] {
  return [...Map.groupBy(ids, (id) => id.split(':', 1)[0] ?? '')].flatMap(([file, named]) => {
    const all = idsIn(file);
    return named.filter((id) => !all.includes(id)).map((id) => repairOf(id, file, all));
  });
}

function repairOf(id: string, file: string, all: readonly string[]): string {
  // The hash of the edit, and its place if there are several.
  const kind = id.replace(/:[^:]*(:\d+\/\d+)?$/, ':');
  const others = all.filter((other) => other.startsWith(kind));
  const now = others.length === 0 ? 'Nothing there is edited like this now.' : `Edited like this there now: ${others.join(', ')}.`;
  const command = all.length === 0 ? '' : ` To see which are not noticed: npm run mutants -- --generated --all --files ${file}`;
  return `${id} names no mutant. ${now} Replace the id, or remove the entry.${command}`;
}

const idsOf = (file: string): readonly string[] => (existsSync(join(ROOT, file)) ? mutantsOf(file).mutants.map(({ id }) => id) : []);
