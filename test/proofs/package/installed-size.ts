import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The bytes that a package and everything that it depends on put on a disk, by name of the package. */
export function installedSize(folder: string, names: readonly string[]): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  const add = (from: string, name: string): void => {
    const home = homeOf(from, name);
    const known = `${name}@${versionOf(home)}`;
    if (sizes.has(known)) return;
    sizes.set(known, bytesBelow(home));
    for (const dependency of Object.keys(manifestOf(home).dependencies ?? {})) add(home, dependency);
  };
  for (const name of names) add(folder, name);
  return sizes;
}

/** Sum of the bytes. */
export const totalOf = (sizes: ReadonlyMap<string, number>): number => [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);

interface Manifest {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const manifestOf = (home: string): Manifest => JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as Manifest;
const versionOf = (home: string): string => manifestOf(home).version ?? '';

/** As Node finds it: in the nearest `node_modules` above. */
function homeOf(from: string, name: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const home = join(folder, 'node_modules', name);
    if (existsSync(home)) return realpathSync(home);
    if (folder === dirname(folder)) throw new Error(`${name} is not installed for ${from}`);
  }
}

/** Without what is installed below it for itself, which counts by its own name. */
function bytesBelow(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sum + (entry.name === 'node_modules' ? 0 : bytesBelow(path));
    return sum + statSync(path).size;
  }, 0);
}
