/**
 * Follows the README's job of your own word by word: `node scripts/run.mjs scripts/follow-readme.ts <nightcrew-x.y.z.tgz>`.
 * Works in a folder of its own, with a real `npm install` of the versions in the lockfile, and removes it afterwards.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');

/** The section as it is followed: shell commands and files, in order. */
export interface FirstJob {
  readonly commands: readonly string[];
  readonly files: ReadonlyMap<string, string>;
}

/** Reads the section: `name.ts` at the start of a paragraph names the file that the next block holds; shell blocks are commands. */
export function readFirstJob(readme: string): FirstJob {
  const section = /\n## A job of your own\n([\s\S]*?)\n## /.exec(readme)?.[1] ?? '';
  const commands = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap((block) => (block[1] ?? '').trim().split('\n'));
  const files = new Map(
    [...section.matchAll(/^`([\w-]+\.ts)`[^\n]*\n\n```ts\n([\s\S]*?)```/gm)].map((block) => [block[1] ?? '', block[2] ?? '']),
  );
  return { commands, files };
}

/** The command with the versions that the lockfile has: a release of somebody else's package must not change what the section does. */
export function pinned(command: string, versions: Readonly<Record<string, string>>): string {
  if (!command.startsWith('npm install ')) return command;
  const version = (word: string): string | undefined => (Object.hasOwn(versions, word) ? versions[word] : undefined);
  return command.replaceAll(/\S+/g, (word) => (version(word) === undefined ? word : `${word}@${version(word)}`));
}

/** The versions in the lockfile, by name. */
function lockedVersions(): Readonly<Record<string, string>> {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly version?: string }>>;
  };
  const top = Object.entries(packages).filter(([path]) => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path));
  return Object.fromEntries(top.map(([path, { version = '' }]) => [path.replace('node_modules/', ''), version]));
}

function follow(tarball: string): boolean {
  const { commands, files } = readFirstJob(readFileSync(join(ROOT, 'README.md'), 'utf8'));
  const work = mkdtempSync(join(tmpdir(), 'nightcrew-first-job-'));
  try {
    const folder = join(work, 'first-job');
    mkdirSync(join(work, 'nightcrew'));
    mkdirSync(folder);
    copyFileSync(tarball, join(work, 'nightcrew', basename(tarball)));
    for (const [name, text] of files) writeFileSync(join(folder, name), text);
    const versions = lockedVersions();
    return commands.every((written) => {
      const command = pinned(written, versions);
      process.stdout.write(`$ ${command}\n`);
      const env = { ...process.env, npm_config_prefer_offline: 'true', npm_config_loglevel: 'error' };
      return spawnSync(command, { cwd: folder, shell: true, stdio: ['ignore', 'inherit', 'inherit'], env }).status === 0;
    });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const [tarball] = process.argv.slice(2);
  if (tarball === undefined) throw new Error('usage: scripts/follow-readme.ts <tarball of npm pack>');
  process.exitCode = follow(resolve(tarball)) ? 0 : 1;
}
