import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { refuse } from '../shared/config/deployment-checks.ts';
import { bundleEntry } from './esbuild-bundle.ts';

/** Handler of every bundle. */
export const BUNDLE_HANDLER = 'index.handler';

/** The code of an executor: bundled from the user's entry when the stack is synthesized. */
export function executorCode(entry: string, field: string): Code {
  const file = resolve(entry);
  if (!existsSync(file)) refuse(field, `${file} does not exist. Give the path of the file that exports handler.`);
  return bundled(file, true);
}

/** The code of the acquirer or the sweeper: the published package carries it ready, the repository bundles it from source. */
export function ownCode(name: 'acquirer' | 'sweeper'): Code {
  const ready = fileURLToPath(new URL(`../lambda/${name}`, import.meta.url));
  if (existsSync(ready)) return Code.fromAsset(ready);
  return bundled(fileURLToPath(new URL(`../functions/${name}/handler.ts`, import.meta.url)), false);
}

function bundled(file: string, banner: boolean): Code {
  return Code.fromAsset(dirname(file), {
    assetHashType: AssetHashType.OUTPUT,
    // Where bundling is left out (`cdk list`, tests) the folder itself is hashed.
    exclude: ['node_modules', 'cdk.out', '.git'],
    bundling: {
      // Demanded by the interface, never used: the local bundler below always succeeds or throws.
      image: DockerImage.fromRegistry('scratch'),
      // Part of the cache key, so that two entries of one folder are two bundles.
      command: [file],
      local: {
        tryBundle: (outputDir: string) => {
          bundleEntry(file, outputDir, banner);
          return true;
        },
      },
    },
  });
}
