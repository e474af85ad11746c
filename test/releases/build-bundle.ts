import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, version as esbuild } from 'esbuild';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** What the bundle exports: the entries of a deployment's functions and what a user's code imports. */
const ENTRIES = [
  'shared/index.ts',
  'functions/executor/create-executor.ts',
  'functions/acquirer/create-acquirer.ts',
  'functions/sweeper/create-sweeper.ts',
];
/** Where releases have the admin, newest first. */
const ADMIN_ENTRIES = ['operate/create-admin.ts', 'shared/admin/create-admin.ts'];
/** Packages that the bundle shares with the code of today. middy is bundled: it cannot be required. */
const EXTERNAL = ['@aws-sdk/*', '@smithy/*', '@aws-lambda-powertools/*'];

/** Where a bundle comes from. */
export interface BundleOrigin {
  readonly commit: string;
  readonly subject: string;
  readonly committedAt: string;
  readonly esbuild: string;
  readonly external: readonly string[];
  /** Of the bundle before it is compressed. */
  readonly sha256: string;
}

export const sha256 = (code: string | Uint8Array): string => createHash('sha256').update(code).digest('hex');

function git(args: readonly string[]): Buffer {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: ROOT, maxBuffer: 2 ** 30 });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr.toString()}`);
  return stdout;
}

/** Bundles the code of a commit or tag, from the objects of git and with the packages that are installed now. The same commit gives the same bytes. */
export async function buildBundle(revision: string): Promise<{ readonly origin: BundleOrigin; readonly code: Uint8Array }> {
  const [commit = '', subject = '', committedAt = ''] = git(['log', '-1', '--format=%H%n%s%n%cI', revision]).toString().split('\n');
  const folder = mkdtempSync(join(tmpdir(), 'nightcrew-release-'));
  try {
    const sources = git(['archive', commit]);
    const { status, stderr } = spawnSync('tar', ['x', '-C', folder], { input: sources });
    if (status !== 0) throw new Error(`tar: ${stderr.toString()}`);
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const admin = ADMIN_ENTRIES.filter((path) => existsSync(join(folder, path))).slice(0, 1);
    const { outputFiles } = await build({
      stdin: {
        contents: [...ENTRIES, ...admin].map((path) => `export * from ${JSON.stringify(`./${path}`)};`).join('\n'),
        resolveDir: folder,
        loader: 'ts',
      },
      absWorkingDir: folder,
      bundle: true,
      write: false,
      platform: 'node',
      target: 'node24',
      // The test evaluates it with a `require` of its own, so that the packages are found without a file.
      format: 'cjs',
      minify: true,
      keepNames: true,
      legalComments: 'none',
      external: EXTERNAL,
      logLevel: 'warning',
    });
    const code = outputFiles[0]?.contents ?? new Uint8Array();
    return { origin: { commit, subject, committedAt, esbuild, external: EXTERNAL, sha256: sha256(code) }, code };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
