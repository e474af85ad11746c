import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const FOLDERS = ['shared', 'functions', 'operate', 'testing', 'infra', 'local', 'cli', 'console', 'bench', 'examples', 'scripts', 'test'];

/** A file of the repository by its path from the root. */
export function fromRoot(path: string): string {
  return join(ROOT, path);
}

/** A source file; `path` is relative to the root, with slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** An import as it is written; `target` is a path from the root, or the name of a package. */
export interface Import {
  readonly target: string;
  readonly typeOnly: boolean;
}

/** The optional capabilities: each has a folder. */
export const featureNames = (): readonly string[] =>
  readdirSync(fromRoot('shared/features'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();

/** Every TypeScript and JavaScript file of the repository. By default without scripts of the browser. */
export function sourceFiles(ending = /\.(ts|mjs)$/): readonly SourceFile[] {
  return FOLDERS.flatMap((folder) => listed(folder))
    .filter((path) => ending.test(path))
    .map((path) => ({ path, text: readFileSync(fromRoot(path), 'utf8') }));
}

function listed(folder: string): readonly string[] {
  try {
    return readdirSync(fromRoot(folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

const STATEMENT = /^\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?['"]([^'"]+)['"]/gm;
const DYNAMIC = /\b(?:import|require|import\.meta\.resolve)\(\s*['"]([^'"]+)['"]\s*\)/g;

/** What a file imports and exports from elsewhere, statically or not. Comments that look like imports count too: write none. */
export function importsOf(file: SourceFile): readonly Import[] {
  const target = (specifier: string): string =>
    specifier.startsWith('.') ? posix.normalize(posix.join(posix.dirname(file.path), specifier)) : specifier;
  return [
    ...[...file.text.matchAll(STATEMENT)].map((match) => ({ target: target(match[2] ?? ''), typeOnly: match[1] !== undefined })),
    ...[...file.text.matchAll(DYNAMIC)].map((match) => ({ target: target(match[1] ?? ''), typeOnly: false })),
  ];
}
