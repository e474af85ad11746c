import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const MODULES = join(ROOT, 'node_modules');

/** What users install beside Nightcrew: the peers, a schema library, and what a TypeScript project has. */
const USERS_OWN = [
  'aws-cdk-lib',
  'aws-cdk',
  'constructs',
  'esbuild',
  'zod',
  'typescript',
  '@types/node',
  '@aws-sdk/client-lambda',
  '@aws-sdk/client-scheduler',
];

interface Result {
  readonly status: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** An empty project with the packed package in it. */
export interface InstalledPackage {
  readonly folder: string;
  /** Paths in the tarball, without the leading `package/`. */
  readonly packed: readonly string[];
  /** Runs a program in the folder, while this process goes on: it may be the one that serves SQS. */
  tryRun(program: string, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Result>;
  /** The same; throws unless it exits with 0. */
  run(program: string, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Result>;
  remove(): void;
}

/**
 * Packs the repository and unpacks it into an empty project. No network: of other packages only those are linked that the manifest
 * declares (or that users bring), so an import that is not declared fails as it would for a user. `.ci/run` does the real install.
 */
export function installPackage(): InstalledPackage {
  const folder = mkdtempSync(join(tmpdir(), 'nightcrew-package-'));
  const [packed] = JSON.parse(npm(['pack', '--json', '--silent', '--pack-destination', folder])) as [
    { filename: string; files: { path: string }[] },
  ];
  const home = join(folder, 'node_modules', 'nightcrew');
  mkdirSync(home, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, packed.filename), '-C', home, '--strip-components=1']);
  const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { dependencies: Record<string, string> };
  for (const name of new Set([...Object.keys(manifest.dependencies), ...USERS_OWN])) link(folder, name);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }));
  writeFileSync(join(folder, 'package-lock.json'), '{}');
  cpSync(join(ROOT, 'test', 'package', 'user'), folder, { recursive: true });
  const tryRun: InstalledPackage['tryRun'] = (program, args, env = {}) =>
    new Promise((resolve) => {
      execFile(program, args, { cwd: folder, env: { ...process.env, ...env }, maxBuffer: 64 * 2 ** 20 }, (error, stdout, stderr) => {
        resolve({ status: error === null ? 0 : (error.code ?? null), stdout, stderr });
      });
    });
  return {
    folder,
    packed: packed.files.map((file) => file.path),
    tryRun,
    run: async (program, args, env) => {
      const result = await tryRun(program, args, env);
      if (result.status !== 0)
        throw new Error(`${program} ${args.join(' ')} exited with ${result.status}:\n${result.stdout}\n${result.stderr}`);
      return result;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function npm(args: readonly string[]): string {
  return execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32' });
}

function link(folder: string, name: string): void {
  const target = join(MODULES, name);
  const place = join(folder, 'node_modules', name);
  if (!existsSync(target)) throw new Error(`${name} is not installed in the repository`);
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(target, place, 'junction');
  const { bin } = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8')) as { bin?: Record<string, string> | string };
  const commands = join(folder, 'node_modules', '.bin');
  mkdirSync(commands, { recursive: true });
  for (const [command, script] of Object.entries(typeof bin === 'object' ? bin : {}))
    symlinkSync(join(target, script), join(commands, command));
}

/** Every file below a folder of the project, relative to it. */
export function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );
}
