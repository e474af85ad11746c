import { cpSync, existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { missingPackage, refuse } from '../shared/config/deployment-checks.ts';
import { bundleEntry, readyFolder } from './esbuild-bundle.ts';
import { EVENT_BUS_SDK } from './event-references.ts';

/** Handler of every bundle. */
export const BUNDLE_HANDLER = 'index.handler';

/** The code of an executor: bundled from the user's entry when the stack is synthesized. `unused` packages are left out. */
export function executorCode(entry: string, field: string, unused: readonly string[] = []): Code {
  const file = resolve(entry);
  if (!existsSync(file)) refuse(field, `${file} does not exist. Give the path of the file that exports handler.`);
  return made(file, { unused }, (outputDir) => {
    if (!unused.includes(EVENT_BUS_SDK)) demand(EVENT_BUS_SDK);
    bundleEntry(file, outputDir, true, unused);
  });
}

/** Throws MissingPackageError if an optional package is not installed: esbuild leaves it out in silence where it is imported inside `try`. */
function demand(name: string): void {
  try {
    createRequire(import.meta.url).resolve(name);
  } catch (error) {
    throw missingPackage([name], error);
  }
}

/** Files next to a bundle, by name. */
export type BesideBundle = Readonly<Record<string, string>>;

/**
 * The code of the acquirer, the sweeper, the cleaner or the external API: the published package contains it bundled, with and without event bus support; the
 * repository bundles it from source. `unused` packages are left out.
 */
export function ownCode(name: 'acquirer' | 'sweeper' | 'cleaner' | 'api', unused: readonly string[], beside: BesideBundle = {}): Code {
  const ready = fileURLToPath(new URL(`../lambda/${readyFolder(name, unused)}`, import.meta.url));
  const source = fileURLToPath(new URL(`../functions/${name}/handler.ts`, import.meta.url));
  if (!existsSync(ready)) return made(source, { beside, unused }, (outputDir) => bundleEntry(source, outputDir, false, unused));
  if (Object.keys(beside).length === 0) return Code.fromAsset(ready);
  return made(join(ready, 'index.mjs'), { beside }, (outputDir) => cpSync(ready, outputDir, { recursive: true }));
}

/** The options that distinguish bundles of one entry. */
interface BundleVariant {
  readonly beside?: BesideBundle;
  readonly unused?: readonly string[];
}

function made(file: string, { beside = {}, unused = [] }: BundleVariant, make: (outputDir: string) => void): Code {
  return Code.fromAsset(dirname(file), {
    assetHashType: AssetHashType.OUTPUT,
    // Where bundling is left out (`cdk list`, tests) the folder itself is hashed.
    exclude: ['node_modules', 'cdk.out', '.git'],
    bundling: {
      // Demanded by the interface, never used: the local bundler below always succeeds or throws.
      image: DockerImage.fromRegistry('scratch'),
      // Part of the cache key, so that two entries of one folder are two bundles, and so are two variants of one entry.
      command: [file, JSON.stringify(beside), ...unused],
      local: {
        tryBundle: (outputDir: string) => {
          make(outputDir);
          for (const [name, text] of Object.entries(beside)) writeFileSync(join(outputDir, name), text);
          return true;
        },
      },
    },
  });
}
