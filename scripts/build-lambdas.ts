/** Builds the acquirer and the sweeper for the published package, where they are ready bundles: `dist/lambda/<name>/index.mjs`. */
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleEntry } from '../infra/esbuild-bundle.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

for (const name of ['acquirer', 'sweeper']) {
  const outputDir = `${ROOT}dist/lambda/${name}`;
  rmSync(outputDir, { recursive: true, force: true });
  bundleEntry(`${ROOT}functions/${name}/handler.ts`, outputDir, false);
}
