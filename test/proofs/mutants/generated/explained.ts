import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Why mutants that no test notices are no faults, by their ids; a file for each folder. */
export const explained = (): ReadonlyMap<string, string> =>
  new Map(
    globSync('*.json', { cwd: join(import.meta.dirname, 'explained') }).flatMap((file) =>
      Object.entries(JSON.parse(readFileSync(join(import.meta.dirname, 'explained', file), 'utf8')) as Record<string, string>),
    ),
  );
