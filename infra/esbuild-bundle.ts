import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildOptions } from 'esbuild';
import { missingPackage } from '../shared/config/deployment-checks.ts';

/** Provides `require`, which ES modules lack, to the CommonJS packages of a handler. */
const REQUIRE_BANNER =
  "import { createRequire as nightcrewRequire } from 'node:module'; const require = nightcrewRequire(import.meta.url);";

/**
 * Replacements of packages in every function bundle. The SDK's credential chain is a quarter of a bundle and a third of the time
 * that importing it takes; in Lambda two links of it can ever answer. TypeScript here, JavaScript in the package.
 */
const STAND_INS = {
  '@aws-sdk/credential-provider-node': fileURLToPath(
    new URL(`../shared/lambda/lambda-credentials${extname(import.meta.url)}`, import.meta.url),
  ),
};

/** Options of every function bundle. The SDK is bundled: it starts faster than the runtime's own, and its version is ours. `unused` packages are left out. */
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
    alias: STAND_INS,
    logLevel: 'warning',
    ...(banner ? { banner: { js: REQUIRE_BANNER } } : {}),
  };
}

/** Folder of a ready bundle in the package, under `lambda`: there is one with and one without the packages that can be unused. */
export function readyFolder(name: string, unused: readonly string[]): string {
  return unused.length === 0 ? `${name}-with-bus` : name;
}

/**
 * Bundles an entry into `index.mjs` of a folder, on this machine and without Docker. Throws MissingPackageError when
 * esbuild is not installed; it is needed only where a function is bundled, so it is looked for only then.
 */
export function bundleEntry(entry: string, outputDir: string, banner: boolean, unused: readonly string[] = []): void {
  loadEsbuild().buildSync(bundleOptions(entry, outputDir, banner, unused));
}

function loadEsbuild(): typeof import('esbuild') {
  try {
    return createRequire(import.meta.url)('esbuild') as typeof import('esbuild');
  } catch (error) {
    throw missingPackage(['esbuild'], error);
  }
}
