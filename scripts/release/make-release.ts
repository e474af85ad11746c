import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { releaseRefusals } from './refusals.ts';
import { changelogOf, sectionOf, VERSIONED } from './versioned-texts.ts';

const KEPT_BUNDLES = join('test', 'releases', 'kept');

/** What a release needs from outside. */
export interface ReleaseDeps {
  readonly root: string;
  /** Today, as `2026-01-31`. */
  readonly day: string;
  /** Runs an npm script to its end, and throws if it fails. */
  readonly script: (name: string, ...args: readonly string[]) => void;
}

/** A release that was refused. Nothing was written. */
export class ReleaseRefused extends Error {
  readonly refusals: readonly string[];

  constructor(refusals: readonly string[]) {
    super(refusals.join('\n'));
    this.refusals = refusals;
  }
}

/** Writes a version into all that names it, keeps what later versions are tested against, commits, and tags. Pushes and publishes nothing. */
export function makeRelease(version: string, { root, day, script }: ReleaseDeps): void {
  const git = (...args: readonly string[]): string => runGit(root, args);
  const text = (path: string): string => readFileSync(join(root, path), 'utf8');
  const lines = (printed: string): readonly string[] => printed.split('\n').filter((line) => line !== '');
  const refusals = releaseRefusals({
    version,
    manifest: JSON.parse(text('package.json')) as Record<string, unknown>,
    changelog: text('CHANGELOG.md'),
    tags: lines(git('tag', '--list', 'v*')),
    branch: git('branch', '--show-current').trim(),
    changed: lines(git('status', '--porcelain')).map((line) => line.slice(3)),
  });
  if (refusals.length > 0) throw new ReleaseRefused(refusals);

  for (const [path, named] of Object.entries(VERSIONED)) writeFileSync(join(root, path), named(text(path), version));
  writeFileSync(join(root, 'CHANGELOG.md'), changelogOf(text('CHANGELOG.md'), version, day));
  script('docs');
  script('layouts', version);
  script('format');
  git('add', '--all');
  git('commit', '--quiet', '--message', `Release ${version}`);
  // Lines of the changelog that begin with # are headings, not comments of git.
  git(
    'tag',
    '--annotate',
    `v${version}`,
    '--cleanup=verbatim',
    '--message',
    `Nightcrew ${version}\n\n${sectionOf(text('CHANGELOG.md'), version)}\n`,
  );

  // The bundle is built from the tag, so it cannot be part of it. Only the last release works beside the code of today.
  for (const file of readdirSync(join(root, KEPT_BUNDLES))) rmSync(join(root, KEPT_BUNDLES, file));
  script('release-bundle', `v${version}`);
  script('format');
  git('add', '--all');
  git('commit', '--quiet', '--message', `Keep the bundle of ${version} for the tests of later versions`);
}

function runGit(root: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')} failed: ${stderr}`);
  return stdout;
}
