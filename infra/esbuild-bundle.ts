import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { BuildOptions } from 'esbuild';
import { refuse } from '../shared/config/deployment-checks.ts';

/** Lets CommonJS packages that a handler uses call `require`, which an ES module does not have. */
const REQUIRE_BANNER =
  "import { createRequire as nightcrewRequire } from 'node:module'; const require = nightcrewRequire(import.meta.url);";

/** Options of every function bundle. The SDK is bundled: it starts faster than the runtime's own, and its version is ours; but not what is `unused`. */
export function bundleOptions(entry: string, outputDir: string, banner: boolean, unused: readonly string[] = []): BuildOptions {
  return {
    entryPoints: [entry],
    outfile: join(outputDir, 'index.mjs'),
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // The SDK's CommonJS builds would need `require` for Node's own modules.
    mainFields: ['module', 'main'],
    minify: true,
    keepNames: true,
    sourcemap: true,
    sourcesContent: false,
    legalComments: 'none',
    external: [...unused],
    logLevel: 'warning',
    ...(banner ? { banner: { js: REQUIRE_BANNER } } : {}),
  };
}

/**
 * Bundles an entry into `index.mjs` of a folder, on this machine and without Docker. Throws InvalidConfigurationError when
 * esbuild is not installed; it is needed only where a function is bundled, so it is looked for only then.
 */
export function bundleEntry(entry: string, outputDir: string, banner: boolean, unused: readonly string[] = []): void {
  loadEsbuild().buildSync(bundleOptions(entry, outputDir, banner, unused));
}

function loadEsbuild(): typeof import('esbuild') {
  try {
    return createRequire(import.meta.url)('esbuild') as typeof import('esbuild');
  } catch (cause) {
    const missing = (cause as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND';
    if (!missing) throw cause;
    return refuse('entry', 'esbuild is not installed. Run: npm install --save-dev esbuild (or give code instead of entry).');
  }
}
