/**
 * `npm run release-bundle -- <tag or commit>` keeps the code of a release as a bundle, which the tests of later ones run beside their own. Run it when a release is
 * made. `--check` builds each kept bundle again from its commit, and fails if one differs.
 */
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { runCommand, UsageError } from '../../scripts/command-line.ts';
import { buildBundle } from './build-bundle.ts';
import { keptReleases, releaseFile } from './kept-release.ts';

const USAGE = `Usage: npm run release-bundle -- <tag or commit>

Keeps the code of a release as a bundle, which the tests of later ones run beside their own. Run it when a release is made.

  --check   builds each kept bundle again from its commit; exit code 1 if one differs
`;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

await runCommand(USAGE, async (args) => {
  const [argument] = args;
  const isOption = argument?.startsWith('-') === true && argument !== '--check';
  if (argument === undefined || isOption || args.length > 1) throw new UsageError('Give one tag or commit, or --check.');
  return argument === '--check' ? check() : keep(argument);
});

async function check(): Promise<number> {
  let code = 0;
  for (const { origin } of keptReleases()) {
    const { origin: again } = await buildBundle(origin.commit);
    const same = again.sha256 === origin.sha256;
    print(
      `${origin.commit.slice(0, 8)}: ${same ? 'the same bytes' : 'DIFFERS'} (kept with esbuild ${origin.esbuild}, now ${again.esbuild})`,
    );
    if (!same) code = 1;
  }
  return code;
}

async function keep(release: string): Promise<number> {
  const { origin, code } = await buildBundle(release);
  const packed = gzipSync(code, { level: 9 });
  writeFileSync(releaseFile(origin.commit, 'json'), `${JSON.stringify(origin, undefined, 2)}\n`);
  writeFileSync(releaseFile(origin.commit, 'cjs.gz'), packed);
  print(`${origin.commit}: ${code.length} bytes, ${packed.length} compressed, sha256 ${origin.sha256}`);
  return 0;
}
