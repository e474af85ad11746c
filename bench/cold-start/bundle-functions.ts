import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, buildSync } from 'esbuild';
import { bundleOptions } from '../../infra/esbuild-bundle.ts';
import { unusedPackages } from '../../infra/event-references.ts';
import { bytesByGroup } from './bytes-by-group.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** The bundles. `twoClients` is the baseline; `twoClientsLean` the same, bundled with the same optimizations as ours. */
export const BUNDLES = {
  executor: { entry: 'examples/order-service/worker.ts', banner: true, plain: false },
  acquirer: { entry: 'functions/acquirer/handler.ts', banner: false, plain: false },
  sweeper: { entry: 'functions/sweeper/handler.ts', banner: false, plain: false },
  client: { entry: 'bench/cold-start/enqueuing-function.ts', banner: false, plain: true },
  twoClients: { entry: 'bench/cold-start/two-clients.ts', banner: false, plain: true },
  twoClientsLean: { entry: 'bench/cold-start/two-clients.ts', banner: false, plain: false },
} as const;

/** A bundle by name. */
export type BundleName = keyof typeof BUNDLES;

/** One bundle as it would be deployed without an event bus. */
export interface BuiltBundle {
  /** Absolute path. */
  readonly file: string;
  /** Minified, without its source map. */
  readonly bytes: number;
  readonly gzipBytes: number;
  /** Bytes by package, or by folder of our own, largest first. */
  readonly groups: Readonly<Record<string, number>>;
}

/** Bundles everything into folders of `folder`, with the options that the stack is deployed with. */
export function bundleFunctions(folder: string): Readonly<Record<BundleName, BuiltBundle>> {
  return Object.fromEntries(
    Object.entries(BUNDLES).map(([name, { entry, banner, plain }]) => {
      const { alias, ...options } = bundleOptions(join(ROOT, entry), join(folder, name), banner, unusedPackages(undefined));
      return [name, built(plain ? options : { ...options, ...(alias === undefined ? {} : { alias }) })];
    }),
  ) as Record<BundleName, BuiltBundle>;
}

function built(options: BuildOptions): BuiltBundle {
  const { metafile } = buildSync({ ...options, absWorkingDir: ROOT, metafile: true });
  const file = String(options.outfile);
  const text = readFileSync(file);
  const [output] = Object.entries(metafile.outputs).flatMap(([path, made]) => (path.endsWith('.mjs') ? [made] : []));
  return { file, bytes: text.length, gzipBytes: gzipSync(text).length, groups: bytesByGroup(output?.inputs ?? {}) };
}
