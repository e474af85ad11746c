/** Builds the acquirer, the sweeper, the cleaner and the external API for the published package, where they are ready bundles: `dist/lambda/<name>/index.mjs`. */
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleEntry, readyFolder } from '../infra/esbuild-bundle.ts';
import { unusedPackages } from '../infra/event-references.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

for (const name of ['acquirer', 'sweeper', 'cleaner', 'api']) {
  for (const unused of [unusedPackages(undefined), []]) {
    const outputDir = `${ROOT}dist/lambda/${readyFolder(name, unused)}`;
    rmSync(outputDir, { recursive: true, force: true });
    bundleEntry(`${ROOT}functions/${name}/handler.ts`, outputDir, false, unused);
  }
}
