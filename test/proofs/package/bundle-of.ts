import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';

/** What became of the packages in a bundle. */
export interface BundleOf {
  /** Packages whose code it holds. */
  readonly inside: readonly string[];
  /** Packages that it looks for when it runs. */
  readonly outside: readonly string[];
  /** Its size, minified. */
  readonly bytes: number;
}

/**
 * Bundles a module that stands in a folder of a user by esbuild, with no option but those without which a bundle for Node does not
 * start. Throws when esbuild finds an error, or anything to warn of. Writes it where it has a name.
 */
export async function bundleOf(folder: string, contents: string, format: 'cjs' | 'esm', name?: string): Promise<BundleOf> {
  const { metafile, warnings } = await build({
    absWorkingDir: folder,
    stdin: { contents, resolveDir: folder },
    bundle: true,
    platform: 'node',
    format,
    outfile: join(folder, (name ?? 'out').replace(/\.esm$/, '.mjs')),
    write: name !== undefined,
    // The CommonJS of the SDK calls `require`, which an ES module does not have.
    ...(format === 'esm' ? { mainFields: ['module', 'main'] } : {}),
    minify: true,
    metafile: true,
    logLevel: 'silent',
  });
  if (warnings.length > 0) throw new Error(warnings.map(({ text }) => text).join('\n'));
  const packageOf = (path: string): string => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? '';
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  return {
    bytes: Object.values(metafile.outputs).reduce((sum, { bytes }) => sum + bytes, 0),
    inside: [...new Set(Object.keys(metafile.inputs).map(packageOf))],
    outside: imports.flatMap(({ path, external }) => (external === true && !isBuiltin(path) && !path.startsWith('.') ? [path] : [])),
  };
}
