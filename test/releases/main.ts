/**
 * `npm run release-bundle -- <tag or commit>` keeps the code of a release as a bundle, which the tests of later ones run beside their own. Run it when a release is
 * made. `--check` builds each kept bundle again from its commit, and fails if one differs.
 */
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { buildBundle } from './build-bundle.ts';
import { keptReleases, releaseFile } from './kept-release.ts';

const [argument = ''] = process.argv.slice(2);
if (argument === '') throw new Error('Usage: npm run release-bundle -- <tag or commit>, or --check');
if (argument === '--check') {
  for (const { origin } of keptReleases()) {
    const { origin: again } = await buildBundle(origin.commit);
    const same = again.sha256 === origin.sha256;
    process.stdout.write(
      `${origin.commit.slice(0, 8)}: ${same ? 'the same bytes' : 'DIFFERS'} (kept with esbuild ${origin.esbuild}, now ${again.esbuild})\n`,
    );
    if (!same) process.exitCode = 1;
  }
} else {
  const { origin, code } = await buildBundle(argument);
  const packed = gzipSync(code, { level: 9 });
  writeFileSync(releaseFile(origin.commit, 'json'), `${JSON.stringify(origin, undefined, 2)}\n`);
  writeFileSync(releaseFile(origin.commit, 'cjs.gz'), packed);
  process.stdout.write(`${origin.commit}: ${code.length} bytes, ${packed.length} compressed, sha256 ${origin.sha256}\n`);
}
