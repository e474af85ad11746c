/**
 * Bundles the command line and its console into `dist/cli` with the packages that only they use, so that a function which enqueues jobs does
 * not install these. The rest of the package and the packages that users install stay imports: there is one copy of each class.
 */
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const DIST = join(ROOT, 'dist');
const COMPILED = join(DIST, 'compiled');
const CLI = join(DIST, 'cli');
const FOLDERS = ['cli', 'console'] as const;
const INSIDE = ['@hono/node-server', 'commander', 'hono'] as const;

const isInside = (name: string): boolean => INSIDE.some((one) => name === one || name.startsWith(`${one}/`));

const imports: Plugin = {
  name: 'imports',
  setup: (builder) =>
    builder.onResolve({ filter: /./ }, ({ path, resolveDir, kind }) => {
      if (kind === 'entry-point' || !resolveDir.startsWith(COMPILED)) return undefined;
      if (!path.startsWith('.')) return isInside(path) ? undefined : { path, external: true };
      const [folder = '', ...rest] = relative(COMPILED, resolve(resolveDir, path)).split(sep);
      return FOLDERS.some((one) => one === folder) ? undefined : { path: ['..', folder, ...rest].join('/'), external: true };
    }),
};

mkdirSync(COMPILED);
for (const name of FOLDERS) renameSync(join(DIST, name), join(COMPILED, name));
await build({
  absWorkingDir: ROOT,
  entryPoints: [join(COMPILED, 'cli', 'nightcrew.js')],
  outdir: CLI,
  bundle: true,
  // The console is loaded only when it is started.
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  legalComments: 'none',
  plugins: [imports],
});
rmSync(COMPILED, { recursive: true });
cpSync(join(ROOT, 'console', 'assets'), join(CLI, 'assets'), { recursive: true });
writeFileSync(join(CLI, 'LICENSES.txt'), INSIDE.map((name) => `${name}\n\n${licenseOf(name)}`).join(`\n${'-'.repeat(80)}\n\n`));

function licenseOf(name: string): string {
  return readFileSync(join(ROOT, 'node_modules', name, 'LICENSE'), 'utf8');
}
